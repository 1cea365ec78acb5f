import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AppendRecord } from '../../services/platform/event-log/event-log.ts';

export type HeldBlocks = { readonly blocks: number; readonly movements: number };
export type EncodeQuestion = {
  readonly at: number;
  readonly schemaId: number;
  /** Without control events, as in earlier blocks. */
  readonly isPlain: boolean;
};
export type EncodeAnswer = AppendRecord[];

export type EncodeThread = HeldBlocks & {
  /** The records of one block, counted from 0. Answers come in the order of the questions. */
  encode(question: EncodeQuestion): Promise<EncodeAnswer>;
  close(): Promise<unknown>;
};

const PROGRAM = new URL('./encode-worker.ts', import.meta.url);

/**
 * Generated blocks, decoded and encoded in a thread, as in a replay: no service holds a million transfers beside
 * its log and its sink, where each collection would visit all of them.
 */
export const startEncodeThread = async (transfers: number): Promise<EncodeThread> => {
  const worker = new Worker(PROGRAM, { workerData: { transfers } });
  const [held] = (await once(worker, 'message')) as [HeldBlocks];
  const waiting: { resolve(answer: EncodeAnswer): void; reject(error: unknown): void }[] = [];
  worker.on('message', (answer: EncodeAnswer) => waiting.shift()?.resolve(answer));
  worker.on('error', (error) => {
    for (const question of waiting.splice(0)) question.reject(error);
  });
  return {
    ...held,
    encode: (question) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        worker.postMessage(question);
      }),
    close: () => worker.terminate(),
  };
};
