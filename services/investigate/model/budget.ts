import type { Clock } from '../../platform/clock.ts';
import { ReadFailedError, type ReadLimits } from './transfer-reader.ts';

/** Divides the remaining time of one answer among its queries. */
export type Budget = {
  /** Limits for the next query. Throws `ReadFailedError` `timeout` when no time is left. */
  readonly limits: () => ReadLimits;
  /** Whether there is time for more searching. Results must still be labelled and priced afterwards. */
  readonly canLook: () => boolean;
};

/** null when the query was not answered in time. */
export const orTooLate = async <T>(ask: () => Promise<T>): Promise<T | null> => {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ReadFailedError && error.code === 'timeout') return null;
    throw error;
  }
};

export type BudgetOptions = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly budgetMs: number;
  /** An indexed query that takes longer means that the engine is in trouble. */
  readonly readTimeoutMs: number;
  /** Reserved for labels and prices. */
  readonly reserveMs: number;
};

export const createBudget = ({
  clock,
  signal,
  budgetMs,
  readTimeoutMs,
  reserveMs,
}: BudgetOptions): Budget => {
  const end = clock.nowUnixMs() + budgetMs;
  const left = (): number => end - clock.nowUnixMs();
  return {
    limits: () => {
      if (left() <= 0) throw new ReadFailedError('timeout');
      return { signal, timeoutMs: Math.min(readTimeoutMs, left()) };
    },
    canLook: () => left() > reserveMs,
  };
};
