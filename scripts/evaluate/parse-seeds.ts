import { UsageError } from '../bench/run-chosen.ts';

/** `A..B` or one number, as every seed from A to B. Throws `UsageError`. */
export const parseSeeds = (text: string): number[] => {
  const [, first, last = first] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
  const count = Number(last) - Number(first) + 1;
  if (!(count > 0)) throw new UsageError(`--seeds takes A..B, two whole numbers in order, not ${text}`);
  return Array.from({ length: count }, (_, at) => Number(first) + at);
};
