import { UsageError } from './run-chosen.ts';

/** What an option says, as a number. Throws `UsageError`, which names the option, unless it is a whole one from `least` on. */
export const wholeNumber = (name: string, text: string, least = 1): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} takes a whole number from ${least} on, not ${JSON.stringify(text)}`);
};
