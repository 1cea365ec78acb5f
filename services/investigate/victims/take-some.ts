import type { VictimsReads } from './victims-reader.ts';

/** What was looked at, and what is unknown of the others. */
export type Looked = { readonly part: string; readonly at: string };

/** The first so many. Where there are more, the answer says `Only 50 of 80 …`. */
export const takeSome = <T>(
  all: readonly T[],
  most: number,
  { part, at }: Looked,
  { session }: Pick<VictimsReads, 'session'>,
): readonly T[] => {
  if (all.length > most) session.leaveOut(part, `Only ${most} of ${all.length} ${at}`);
  return all.slice(0, most);
};

/** Each once, the most frequent first. */
export const byFrequency = <T>(all: readonly T[]): T[] =>
  [...Map.groupBy(all, (one) => one)].sort((a, b) => b[1].length - a[1].length).map(([one]) => one);
