import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type FormatOptions, type LabelFile, LabelFileError } from './label-format.ts';

const TEXT_BYTES_MAX = 256 << 20;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** A list on disk, packed or not: what it begins with decides, not its name. */
export const openLabelFile = (path: string, options: FormatOptions = {}): LabelFile => {
  const open = (): Readable => {
    const bytes = createReadStream(path);
    // Whoever reads the unpacked stream gets the error of either.
    return isGzip(path) ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  };
  return {
    path,
    options,
    open,
    text: async () => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of open()) {
        bytes += (chunk as Buffer).length;
        if (bytes > TEXT_BYTES_MAX) throw new LabelFileError(path, `is larger than ${TEXT_BYTES_MAX} bytes`);
        chunks.push(chunk as Buffer);
      }
      return Buffer.concat(chunks).toString('utf8');
    },
  };
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
