import { eachInTurns } from './give-way.ts';

/** The engine sorts so many within a few milliseconds. */
const RUN = 2_000;

/** Sorts as `toSorted` does, and gives way to other work in between. */
export const sortInTurns = async <T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<readonly T[]> => {
  const starts = Array.from({ length: Math.ceil(items.length / RUN) }, (_, run) => run * RUN);
  let runs: (readonly T[])[] = [];
  await eachInTurns(starts, (start) => {
    runs.push(items.slice(start, start + RUN).sort(compare));
  });
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
};

/** Of equal ones those of the first list come first. */
const merge = async <T>(
  one: readonly T[],
  other: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<readonly T[]> => {
  const merged: T[] = [];
  let at = 0;
  await eachInTurns(one, (item) => {
    while (at < other.length && compare(other[at] as T, item) < 0) merged.push(other[at++] as T);
    merged.push(item);
  });
  while (at < other.length) merged.push(other[at++] as T);
  return merged;
};
