import { messageOf } from '../../message-of.ts';
import { LogError } from '../event-log.ts';

/** Errors of the file, the folder or the disk of an embedded log. The codes never change. */
export type LogFileProblem =
  | 'log_cannot_open'
  | 'log_corrupt'
  | 'log_disk_full'
  | 'log_failed'
  | 'log_foreign'
  | 'log_io'
  | 'log_locked'
  | 'log_missing'
  | 'log_read_only'
  | 'log_version';

export class LogFileError extends LogError {
  override readonly code: LogFileProblem;
  constructor(code: LogFileProblem, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.code = code;
  }
}

const LOCKED = [
  'log_locked',
  'another process has been writing to it for too long; end that process, or wait and try again',
] as const;

/** SQLite's primary result codes, https://sqlite.org/rescode.html, each with advice for the operator. */
const PROBLEMS: Readonly<Record<number, readonly [LogFileProblem, string]>> = {
  5: LOCKED,
  6: LOCKED,
  8: ['log_read_only', 'the file or its folder cannot be written; change their owner or rights'],
  10: ['log_io', 'the disk refused; look at its health, its quota and the limits of this process'],
  11: [
    'log_corrupt',
    'it is damaged; restore a copy and run "spoor rebuild", or move the whole store away and ingest again',
  ],
  13: ['log_disk_full', 'the disk is full; free some space, nothing else is needed'],
  14: ['log_cannot_open', 'it cannot be opened or created; check that its folder exists and can be written'],
  26: ['log_foreign', 'it is not an event log; move it away or choose another folder'],
};

const primaryCode = (error: unknown): number | null => {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
};

export const isBusy = (error: unknown): boolean => {
  const code = primaryCode(error);
  return code === 5 || code === 6;
};

/** Converts an error of SQLite or the file system to a stable code with advice. Typed errors pass through. */
export const toLogFileError = (error: unknown, file: string): LogError => {
  if (error instanceof LogError) return error;
  const reason = messageOf(error);
  const [code, advice] = PROBLEMS[primaryCode(error) ?? -1] ?? ['log_failed', 'this is not expected'];
  return new LogFileError(code, `event log ${file}: ${advice} (${reason})`, { cause: error });
};
