import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { DecodedFile } from './decode-file.ts';

export type DecodePool = {
  /** How many files it works on at once. */
  readonly size: number;
  /** Rejects if the thread broke, which no file's content may cause. */
  decode(path: string, chain: string | null): Promise<DecodedFile>;
  close(): Promise<void>;
};

// A thread takes about 140 MB with today's blocks; four would exceed a gigabyte in all.
const SIZE_MAX = 2;
/** To load its modules takes a thread as long as some files take. */
const FILES_WORTH_A_THREAD = 16;
const PROGRAM = new URL('./decode-worker.ts', import.meta.url);

export type DecodeQuestion = { readonly id: number; readonly path: string; readonly chain: string | null };
export type DecodeAnswer = { readonly id: number; readonly file: DecodedFile };

type Job = { readonly resolve: (file: DecodedFile) => void; readonly reject: (error: Error) => void };

type DecodeThread = { readonly worker: Worker; readonly waiting: Map<number, Job> };

/** A replay waits for decoding; log and tables need little beside it. */
export const createDecodePool = (schemaId: number): DecodePool => {
  const size = Math.min(SIZE_MAX, availableParallelism());
  let lastId = 0;
  const threads: DecodeThread[] = [];
  const needsAnother = (): boolean =>
    threads.length < size &&
    lastId >= FILES_WORTH_A_THREAD * threads.length &&
    threads.every(({ waiting }) => waiting.size > 0);
  return {
    size,
    decode: (path, chain) => {
      if (needsAnother()) threads.push(startThread(schemaId));
      const [idlest] = threads.toSorted((a, b) => a.waiting.size - b.waiting.size);
      const { promise, resolve, reject } = Promise.withResolvers<DecodedFile>();
      const id = ++lastId;
      idlest?.waiting.set(id, { resolve, reject });
      idlest?.worker.postMessage({ id, path, chain } satisfies DecodeQuestion);
      return promise;
    },
    close: async () => {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
};

/** A thread reads some files while it decodes another, so answers arrive in any order and name their question. */
const startThread = (schemaId: number): DecodeThread => {
  const worker = new Worker(PROGRAM, { workerData: { schemaId } });
  const waiting = new Map<number, Job>();
  const fail = (error: Error): void => {
    for (const job of waiting.values()) job.reject(error);
    waiting.clear();
  };
  worker.on('message', ({ id, file }: DecodeAnswer) => {
    waiting.get(id)?.resolve(file);
    waiting.delete(id);
  });
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => fail(new Error(`the decoding thread ended with code ${code}`)));
  return { worker, waiting };
};
