import { ReadFailedError } from '../model/transfer-reader.ts';

/** The time, or the rows, of the whole question are used up. */
export class BudgetSpentError extends Error {
  constructor() {
    super('the budget of the question is used up');
    this.name = 'BudgetSpentError';
  }
}

/** A read failed, and the caller still waits for the answer. */
export const isUnread = (error: unknown): boolean =>
  error instanceof ReadFailedError && error.code !== 'aborted';

const isSpent = (error: unknown): boolean => error instanceof BudgetSpentError;

/** The read failed, or there was no time left for it. */
export const isLeftOut = (error: unknown): boolean => isUnread(error) || isSpent(error);

/** For a read that the answer can do without: returns `instead` if it fails this way. */
const unless =
  (isExpected: (error: unknown) => boolean) =>
  <T, U>(reading: Promise<T>, instead: U): Promise<T | U> =>
    reading.catch((error: unknown) => {
      if (isExpected(error)) return instead;
      throw error;
    });

export const unlessUnread = unless(isUnread);
export const unlessSpent = unless(isSpent);
export const unlessLeftOut = unless(isLeftOut);

/** Before anything is found, a spent budget is a failure. */
export const refuseWithoutAnswer = (error: unknown): never => {
  throw isSpent(error) ? new ReadFailedError('timeout', { cause: error }) : error;
};

/** For a part that the answer can do without: null where it is not answered in time. */
export const unlessTooLate = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (isTooLate(error)) return null;
    throw error;
  });

export const isTooLate = (error: unknown): boolean =>
  isSpent(error) || (error instanceof ReadFailedError && error.code === 'timeout');
