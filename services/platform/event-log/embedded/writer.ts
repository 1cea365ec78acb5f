import { Worker } from 'node:worker_threads';
import { LogClosedError } from '../event-log.ts';
import { LogFileError, type LogFileProblem, toLogFileError } from './log-file-error.ts';
import {
  type OperationName,
  type OperationRequest,
  type OperationResult,
  STOP,
  type WriterAnswer,
  type WriterMessage,
  type WriterSettings,
} from './writer-operations.ts';

/** The writing thread, as the rest of the process sees it. Calls are done in their order, one transaction each. */
export type Writer = {
  /**
   * Throws `LogFileError` when nothing was written, and `LogClosedError` once the thread has ended: by itself too, and then
   * nobody writes to this log again. `given` are buffers that are handed over, not copied.
   */
  call<K extends OperationName>(
    operation: K,
    request: OperationRequest<K>,
    given?: ArrayBuffer[],
  ): Promise<OperationResult<K>>;
  /** Ends the thread after the calls made so far. */
  stop(): Promise<void>;
};

type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

export const startWriter = (settings: WriterSettings): Writer => {
  const { file } = settings;
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: settings });
  const waiting = new Map<number, Waiting>();
  const ended = Promise.withResolvers<void>();
  let lastId = 0;
  let failure: Error | null = null;

  const fail = (error: Error): void => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };

  worker.on('message', (answer: WriterAnswer) => {
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    // An idle log must not keep a program from ending.
    if (waiting.size === 0) worker.unref();
    if (answer.ok) call?.resolve(answer.result);
    else call?.reject(new LogFileError(answer.code as LogFileProblem, answer.message));
  });
  worker.on('error', (error) => fail(toLogFileError(error, file)));
  worker.on('exit', () => {
    fail(new LogClosedError());
    ended.resolve();
  });
  worker.unref();

  const call = (operation: OperationName, request: unknown, given: ArrayBuffer[] = []): Promise<unknown> => {
    if (failure !== null) return Promise.reject(new LogClosedError('event log', { cause: failure }));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++lastId;
    waiting.set(id, { resolve, reject });
    worker.ref();
    worker.postMessage({ id, operation, request } satisfies WriterMessage, given);
    return promise;
  };

  return {
    call: call as Writer['call'],
    stop: async () => {
      worker.ref();
      worker.postMessage(STOP);
      await ended.promise;
    },
  };
};
