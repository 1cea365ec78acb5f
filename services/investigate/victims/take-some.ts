export type Some<T> = { readonly asked: readonly T[]; readonly gaps: readonly string[] };

/** The first so many, and a sentence where there are more: `Only 50 of 80 WHAT`. */
export const takeSome = <T>(all: readonly T[], most: number, what: string): Some<T> => ({
  asked: all.slice(0, most),
  gaps: all.length > most ? [`Only ${most} of ${all.length} ${what}`] : [],
});

/** Each once, the most frequent first. */
export const byFrequency = <T>(all: readonly T[]): T[] =>
  [...Map.groupBy(all, (one) => one)].sort((a, b) => b[1].length - a[1].length).map(([one]) => one);
