import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { releaseBuffer } from '../../release-buffer.ts';

/** A body comes in pieces of 64 KiB, and a write for each of them costs as much as taking it in. */
const WRITTEN_AT_ONCE_BYTES = 1 << 20;

/**
 * Writes a body into a new file and gives the number of its bytes. Throws the body's error, the file system's, or an
 * `AbortError`.
 */
export const writeBody = async (body: Readable, path: string, signal: AbortSignal): Promise<number> => {
  const file = await open(path, 'wx', 0o600);
  try {
    const gathered = Buffer.allocUnsafe(WRITTEN_AT_ONCE_BYTES);
    let length = 0;
    let written = 0;
    const write = async (): Promise<void> => {
      await file.appendFile(gathered.subarray(0, length));
      written += length;
      length = 0;
    };
    for await (const piece of addAbortSignal(signal, body) as AsyncIterable<Buffer>) {
      for (let taken = 0; taken < piece.length; ) {
        const bytes = piece.copy(gathered, length, taken);
        taken += bytes;
        length += bytes;
        if (length === gathered.length) await write();
      }
      releaseBuffer(piece);
    }
    await write();
    return written;
  } finally {
    await file.close();
  }
};
