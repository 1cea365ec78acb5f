import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiMiddleware } from '../context.ts';
import { takesGzip } from '../middleware/encode-answer.ts';

/** How long caches may keep a page; an upgrade changes it. */
const CACHED = 'public, max-age=3600';
const compress = promisify(gzip);

type Kept = { readonly plain: Buffer; readonly packed: Buffer; readonly tag: string };

const keep = async (text: string | Buffer): Promise<Kept> => {
  const plain = Buffer.from(text);
  const hash = createHash('sha256').update(plain).digest('base64url');
  // Weak, because the plain and the compressed form share it.
  return { plain, packed: await compress(plain), tag: `W/"${hash}"` };
};

/**
 * A page that is the same for everybody: made and compressed at the first request, because most processes never need
 * it, and kept. Who has it gets 304.
 */
export const keptPage = (type: string, make: () => string | Buffer | Promise<Buffer>): ApiMiddleware => {
  let kept: Promise<Kept> | null = null;
  return async (ctx) => {
    kept ??= Promise.resolve(make())
      .then(keep)
      .catch((error: unknown) => {
        // What could not be made is tried again.
        kept = null;
        throw error;
      });
    const { plain, packed, tag } = await kept;
    ctx.set('Cache-Control', CACHED);
    ctx.set('ETag', tag);
    ctx.type = type;
    const isPacked = takesGzip(ctx);
    if (isPacked) ctx.set('Content-Encoding', 'gzip');
    ctx.body = isPacked ? packed : plain;
    if (hasTag(ctx.get('If-None-Match'), tag)) ctx.status = 304;
  };
};

/** Whichever form the client has. Clients that ask again by themselves also say `no-cache`, which asks just for this. */
const hasTag = (known: string, tag: string): boolean => {
  const tags = known.split(',').map((one) => one.trim());
  return tags.includes('*') || tags.includes(tag) || tags.includes(tag.replace('W/', ''));
};
