import type { Clock } from '../../platform/clock.ts';
import { ReadFailedError, type ReadLimits } from './transfer-reader.ts';

/** Hands out what is left of the time for one answer. */
export type Budget = {
  /** For the next question. Throws `ReadFailedError` `timeout` when nothing is left. */
  readonly limits: () => ReadLimits;
  /** Whether more may be looked for: what is found must still be named and priced. */
  readonly canLook: () => boolean;
};

/** null where the question was not answered in its time. */
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
  /** One indexed question that takes longer is an engine in trouble. */
  readonly readTimeoutMs: number;
  /** Kept for naming and pricing. */
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
