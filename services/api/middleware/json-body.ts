import type { IncomingMessage } from 'node:http';
import { codeOfBroken } from '../answer-broken-request.ts';
import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';
import { parseJson } from '../json/parse-json.ts';

const BODY_BYTES_MAX = 65_536;

/** Reads and parses the body of a route that takes one: 415, 413 and 400 `invalid_json`, in this order. */
export const jsonBodyUpTo =
  (bytesMax: number): ApiMiddleware =>
  async (ctx, next) => {
    const encoding = ctx.get('content-encoding');
    if (!isJson(ctx.get('content-type')) || (encoding !== '' && encoding !== 'identity')) {
      throw refuseUnread(ctx.req, new ApiError('unsupported_media_type'));
    }
    ctx.state.body = parseJson(await readBytes(ctx.req, bytesMax));
    return next();
  };

export const jsonBody = jsonBodyUpTo(BODY_BYTES_MAX);

const isJson = (contentType: string): boolean => {
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return (
    mediaType === 'application/json' &&
    parameters.every((parameter) => parameter === '' || /^charset="?utf-8"?$/.test(parameter))
  );
};

const readBytes = (request: IncomingMessage, bytesMax: number): Promise<Buffer> => {
  const sentence = `The body is larger than ${bytesMax} bytes.`;
  const tooLarge = () => refuseUnread(request, new ApiError('body_too_large', { sentence }));
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      request.off('data', onData);
      reject(tooLarge());
    };
    request.on('data', onData);
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', (cause) => reject(new ApiError(codeOfBroken(cause) ?? 'client_closed', { cause })));
    // Also handles a normal end, without creating an error and its stack.
    request.on('close', () => {
      if (!request.readableEnded) reject(new ApiError('client_closed'));
    });
  });
};

/** A client that sends this much more after a refusal will not read the answer. */
const DISCARDED_BYTES_MAX = 1_048_576;

/** The rest is read and dropped: a client that is still sending would otherwise never see the answer. */
const refuseUnread = (request: IncomingMessage, error: ApiError): ApiError => {
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARDED_BYTES_MAX) request.destroy();
  });
  return error;
};
