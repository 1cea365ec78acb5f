/**
 * The thread that writes. Syncing a commit and copying the write-ahead log into the file block for
 * milliseconds, sometimes for hundreds, so they must not run on the main thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createBoundWal } from './bound-wal.ts';
import { connectToLog } from './log-file.ts';
import { LogFileError, toLogFileError } from './log-file-error.ts';
import {
  createWriterOperations,
  STOP,
  type WriterAnswer,
  type WriterMessage,
  type WriterSettings,
} from './writer-operations.ts';

const { file, lockTimeoutMs } = workerData as WriterSettings;
const port = parentPort;
if (port === null)
  throw new LogFileError('log_failed', 'this file is a worker thread and cannot be run by itself');

const db = connectToLog(file, lockTimeoutMs);
const operations = createWriterOperations(db);
const boundWal = createBoundWal(db, file);

const answer = ({ id, operation, request }: WriterMessage): WriterAnswer => {
  try {
    // Requests and results have the types of `Writer.call`, on the other side of the port.
    const result = (operations[operation] as (request: unknown) => unknown)(request);
    return { id, ok: true, result };
  } catch (error) {
    const { code, message } = toLogFileError(error, file);
    return { id, ok: false, code, message };
  }
};

port.on('message', (message: WriterMessage | typeof STOP) => {
  if (message === STOP) {
    db.close();
    port.close();
    return;
  }
  port.postMessage(answer(message));
  boundWal();
});
