import { existsSync } from 'node:fs';
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

/** The main thread's handle of the writing thread. Calls run in order, one transaction each. */
export type Writer = {
  /**
   * Throws `LogFileError` when nothing was written. `given` are buffers whose ownership is transferred
   * instead of copied.
   */
  call<K extends OperationName>(
    operation: K,
    request: OperationRequest<K>,
    given?: ArrayBuffer[],
  ): Promise<OperationResult<K>>;
  /** Ends the thread after the calls made so far. */
  stop(): Promise<void>;
};

type Thread = { readonly worker: Worker; readonly ended: Promise<void> };
type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

const goneError = (file: string): LogFileError =>
  new LogFileError('log_cannot_open', `event log ${file} is gone; end this process and put it back`);

/** After a crash of the thread the next call starts a new one, because the file may be usable by then. */
export const startWriter = (settings: WriterSettings): Writer => {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isStopping = false;

  const startThread = (): Thread => {
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: settings });
    const ended = Promise.withResolvers<void>();
    let death: Error = new LogClosedError();
    worker.on('message', (answer: WriterAnswer) => {
      const call = waiting.get(answer.id);
      waiting.delete(answer.id);
      // An idle log must not keep the program running, but one that is closing must.
      if (waiting.size === 0 && !isStopping) worker.unref();
      if (answer.ok) call?.resolve(answer.result);
      else call?.reject(new LogFileError(answer.code as LogFileProblem, answer.message));
    });
    worker.on('error', (error) => {
      death = toLogFileError(error, settings.file);
    });
    // All its answers have arrived only now.
    worker.on('exit', () => {
      thread = null;
      for (const { reject } of waiting.values()) reject(death);
      waiting.clear();
      ended.resolve();
    });
    worker.unref();
    return { worker, ended: ended.promise };
  };
  let thread: Thread | null = startThread();

  const call = (operation: OperationName, request: unknown, given: ArrayBuffer[] = []): Promise<unknown> => {
    if (isStopping) return Promise.reject(new LogClosedError());
    // A new thread would create an empty log.
    if (thread === null && !existsSync(settings.file)) return Promise.reject(goneError(settings.file));
    thread ??= startThread();
    const { worker } = thread;
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
      isStopping = true;
      thread?.worker.ref();
      thread?.worker.postMessage(STOP);
      await thread?.ended;
    },
  };
};
