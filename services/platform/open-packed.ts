import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openRegularFile } from './open-regular-file.ts';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The file does not exist, is a folder, pipe or device, or is a truncated or damaged compressed file. */
export class FileUnreadableError extends Error {
  readonly code = 'file_unreadable';
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'FileUnreadableError';
  }
}

/**
 * The bytes of a file, decompressed if necessary. Its first bytes decide, not its name. Fails with
 * `FileUnreadableError`.
 */
export const openPacked = (path: string): Readable => Readable.from(read(path), { objectMode: false });

async function* read(path: string): AsyncGenerator<Buffer> {
  try {
    const file = await openRegularFile(path);
    const isPacked = await isGzip(file);
    const bytes = file.createReadStream({ start: 0 });
    // The reader of the decompressed stream gets the error of either stream.
    yield* isPacked ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  } catch (cause) {
    throw new FileUnreadableError(path, cause);
  }
}

const isGzip = async (file: FileHandle): Promise<boolean> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
  return bytesRead === GZIP_MAGIC.length && buffer.equals(GZIP_MAGIC);
};
