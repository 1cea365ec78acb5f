import type { Window } from '../../investigate/model/history.ts';
import type { HistoryPage, ListedTransaction } from './history-source.ts';

/**
 * The first so many transactions of a page, in the question's order, and the window that they fill: only whole
 * blocks count. The window is null if one block alone holds more.
 */
export const cutPage = (
  { listed, first, last }: Pick<HistoryPage, 'listed' | 'first' | 'last'>,
  order: 'oldest' | 'newest',
  limit: number,
): { readonly kept: readonly ListedTransaction[]; readonly window: Window | null } => {
  const sorted = listed.toSorted((a, b) => (order === 'oldest' ? a.block - b.block : b.block - a.block));
  const cut = sorted[limit];
  if (cut === undefined) return { kept: sorted, window: { first, last } };
  const whole = sorted.filter(({ block }) => (order === 'oldest' ? block < cut.block : block > cut.block));
  const kept = whole.length > 0 ? whole : sorted.slice(0, limit);
  const window = order === 'oldest' ? { first, last: cut.block - 1 } : { first: cut.block + 1, last };
  return { kept, window: window.first <= window.last ? window : null };
};
