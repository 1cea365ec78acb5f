import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { showableLine } from '../../platform/showable.ts';

/** Unchanged, to a file or pipe. */
export const writeAnswer = async (
  answer: WebStream<Uint8Array>,
  { file, signal }: { readonly file: string | undefined; readonly signal: AbortSignal },
): Promise<void> => {
  const to = file === undefined ? process.stdout : createWriteStream(file);
  await pipeline(Readable.fromWeb(answer), to, { signal, end: file !== undefined });
};

/** Line by line for a terminal, made safe: strangers choose token names. */
export const showAnswer = async (
  answer: WebStream<Uint8Array>,
  write: (text: string) => void,
): Promise<void> => {
  for await (const line of createInterface({ input: Readable.fromWeb(answer) }))
    write(`${showableLine(line)}\n`);
};
