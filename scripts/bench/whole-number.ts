import { UsageError } from './run-chosen.ts';

/** Parses an option as a whole number of at least `least`. Throws `UsageError` with the option's name. */
export const wholeNumber = (name: string, text: string, least = 1): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} takes a whole number from ${least} on, not ${JSON.stringify(text)}`);
};
