import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { DecodedFile } from './decode-file.ts';

export type DecodePool = {
  /** How many files it works on at once. */
  readonly size: number;
  /** Rejects when the thread broke, which no content of a file may do. */
  decode(path: string, chain: string | null): Promise<DecodedFile>;
  close(): Promise<void>;
};

const SIZE_MAX = 4;
const PROGRAM = new URL('./decode-worker.ts', import.meta.url);

type Job = { readonly resolve: (file: DecodedFile) => void; readonly reject: (error: Error) => void };

/** One thread fewer than processors: the log and the tables need one, too. */
export const createDecodePool = (schemaId: number): DecodePool => {
  const size = Math.max(1, Math.min(SIZE_MAX, availableParallelism() - 1));
  const threads = Array.from({ length: size }, () => startThread(schemaId));
  return {
    size,
    decode: (path, chain) => {
      const [idlest] = threads.toSorted((a, b) => a.waiting.length - b.waiting.length);
      const { promise, resolve, reject } = Promise.withResolvers<DecodedFile>();
      idlest?.waiting.push({ resolve, reject });
      idlest?.worker.postMessage({ path, chain });
      return promise;
    },
    close: async () => {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
};

/** Answers come in the order of the questions: a thread does one file after the other. */
const startThread = (schemaId: number) => {
  const worker = new Worker(PROGRAM, { workerData: { schemaId } });
  const waiting: Job[] = [];
  const fail = (error: Error): void => {
    for (const job of waiting.splice(0)) job.reject(error);
  };
  worker.on('message', (file: DecodedFile) => waiting.shift()?.resolve(file));
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => fail(new Error(`the decoding thread ended with code ${code}`)));
  return { worker, waiting };
};
