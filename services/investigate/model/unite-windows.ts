import type { Window } from './history.ts';

/** Ascending, those that touch or overlap as one. */
export const uniteWindows = (windows: readonly Window[]): Window[] => {
  const united: Window[] = [];
  for (const { first, last } of windows.toSorted((a, b) => a.first - b.first)) {
    const before = united.at(-1);
    if (before === undefined || before.last + 1 < first) united.push({ first, last });
    else if (last > before.last) united[united.length - 1] = { first: before.first, last };
  }
  return united;
};

/** The parts of a window that none of the others holds, ascending. */
export const gapsWithin = ({ first, last }: Window, known: readonly Window[]): Window[] => {
  const gaps: Window[] = [];
  let next = first;
  for (const each of uniteWindows(known)) {
    if (each.last < next) continue;
    if (each.first > last) break;
    if (each.first > next) gaps.push({ first: next, last: each.first - 1 });
    next = each.last + 1;
  }
  if (next <= last) gaps.push({ first: next, last });
  return gaps;
};
