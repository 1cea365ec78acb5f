import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EngineException } from './engine-exception.ts';

/** A request's body as its sender meant it, never more than `bytesMax`, however well it was packed. */
export function openBody(request: IncomingMessage, bytesMax: number): Readable {
  const encoding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  const limit = limitBytes(bytesMax);
  // Whoever reads it is told; while nobody does yet, an error that nobody hears would end the process.
  limit.on('error', () => {});
  const unpack = decoder(encoding);
  const fail = (error: Error) => limit.destroy(error);
  request.once('error', fail);
  request.once('aborted', () => fail(new Error('the request was aborted')));
  if (unpack === null) return request.pipe(limit);
  unpack.once('error', (error) => {
    fail(
      new EngineException(
        27,
        'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
        `The body is not ${encoding}: ${error.message}`,
      ),
    );
  });
  return request.pipe(unpack).pipe(limit);
}

function decoder(encoding: string): Transform | null {
  if (encoding === '' || encoding === 'identity') return null;
  if (encoding === 'gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  throw new EngineException(89, 'UNKNOWN_COMPRESSION_METHOD', `Unknown compression method: ${encoding}`);
}

function limitBytes(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= bytesMax) return done(null, chunk);
      done(new EngineException(167, 'QUERY_IS_TOO_LARGE', `The body is larger than ${bytesMax} bytes`));
    },
  });
}

export async function readAll(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** `multipart/form-data`: how parameters come that are too long for a URL. */
export async function readForm(body: Buffer, contentType: string): Promise<Map<string, string>> {
  try {
    const response = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
    const form = await response.formData();
    const fields = new Map<string, string>();
    for (const [name, value] of form) {
      if (typeof value !== 'string') {
        throw new EngineException(
          48,
          'NOT_IMPLEMENTED',
          'External tables are not supported by the embedded engine',
        );
      }
      fields.set(name, value);
    }
    return fields;
  } catch (error) {
    if (error instanceof EngineException) throw error;
    throw new EngineException(36, 'BAD_ARGUMENTS', 'The form in the body cannot be read', { cause: error });
  }
}
