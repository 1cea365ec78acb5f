import type { Clock } from '../../platform/clock.ts';
import { ReadFailedError, type ReadLimits, type TransferReader } from '../model/transfer-reader.ts';
import { READ_TIMEOUT_MS } from './rules.ts';

export type FollowDependencies = {
  readonly reader: TransferReader;
  readonly clock: Clock;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

/** The time for the whole trail is used up. */
export class BudgetSpentError extends Error {
  constructor() {
    super('the time budget of the trail is used up');
    this.name = 'BudgetSpentError';
  }
}

/** Makes one read within what is left of the time budget. Throws `BudgetSpentError` or `ReadFailedError`. */
export type BudgetedRead = <T>(
  read: (reader: TransferReader, limits: ReadLimits) => Promise<T>,
) => Promise<T>;

export const createBudgetedRead = (
  { reader, clock, signal }: FollowDependencies,
  budgetMs: number,
): BudgetedRead => {
  const deadlineUnixMs = clock.nowUnixMs() + budgetMs;
  return async (read) => {
    const leftMs = deadlineUnixMs - clock.nowUnixMs();
    if (leftMs <= 0) throw new BudgetSpentError();
    if (signal.aborted) throw new ReadFailedError('aborted');
    try {
      return await read(reader, { signal, timeoutMs: Math.min(leftMs, READ_TIMEOUT_MS) });
    } catch (error) {
      const timedOut = error instanceof ReadFailedError && error.code === 'timeout';
      if (timedOut && leftMs <= READ_TIMEOUT_MS) throw new BudgetSpentError();
      throw error;
    }
  };
};
