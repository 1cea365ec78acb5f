import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { ApiMiddleware } from '../context.ts';

/** Smaller answers fit into one packet either way. */
const BYTES_MIN = 1_024;
const compress = promisify(gzip);

/** Compresses answers for clients that accept gzip, outside the event loop. */
export const encodeAnswer: ApiMiddleware = async (ctx, next) => {
  await next();
  if (ctx.respond === false || ctx.res.hasHeader('Content-Encoding')) return;
  const { body } = ctx;
  if (body instanceof Readable) {
    if (!takesGzip(ctx)) return;
    // A row is sent when it is there, not when a block of the compression is full.
    const packed = createGzip({ flush: constants.Z_SYNC_FLUSH });
    ctx.body = pipeline(body, packed, () => {});
  } else {
    const bytes = bytesOf(body);
    if (bytes === null || bytes.length < BYTES_MIN || !takesGzip(ctx)) return;
    ctx.body = await compress(bytes);
  }
  ctx.set('Content-Encoding', 'gzip');
};

/** Whether the answer is sent as gzip. Caches must know that another client may get it plain. */
export const takesGzip = (ctx: Parameters<ApiMiddleware>[0]): boolean => {
  ctx.vary('Accept-Encoding');
  return ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
};

const bytesOf = (body: unknown): Buffer | null => {
  if (body === undefined || body === null) return null;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};
