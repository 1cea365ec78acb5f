import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The bytes of a file, unpacked where it is packed: what it begins with decides, not its name. Throws where it cannot be read. */
export const openPacked = (path: string): Readable => {
  const isPacked = isGzip(path);
  const bytes = createReadStream(path);
  // Whoever reads the unpacked stream gets the error of either.
  return isPacked ? pipeline(bytes, createGunzip(), () => {}) : bytes;
};

const isGzip = (path: string): boolean => {
  const start = Buffer.alloc(GZIP_MAGIC.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  return start.equals(GZIP_MAGIC);
};
