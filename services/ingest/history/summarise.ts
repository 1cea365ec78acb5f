import {
  COIN_KINDS,
  type HistoryKind,
  type ListedWindow,
  TOKEN_KINDS,
} from '../../investigate/model/history.ts';
import type { KnownWindows, WindowQuestion } from '../../investigate/model/known-windows.ts';

/** The missing parts of what was asked for. */
export type HistoryCoverage =
  | 'complete'
  /** There are more transactions than were requested, or than the node keeps. */
  | 'older_left_out'
  /** Transfers of the chain's own coin may be missing: nothing proves that there are no others. */
  | 'coin_transfers_left_out'
  /** Some transactions are listed nowhere, or not completely. */
  | 'transfers_left_out';

/** The coin is known only where balances leave no room for more; tokens where somebody listed all of them. */
export const summarise = (known: KnownWindows, question: WindowQuestion): HistoryCoverage => {
  const lacks = (all: readonly HistoryKind[], counts: (window: ListedWindow) => boolean): boolean => {
    const kinds = question.kinds.filter((kind) => all.includes(kind));
    return known.gaps({ ...question, kinds }, counts).length > 0;
  };
  if (lacks([...TOKEN_KINDS, 'emitted'], ({ proof }) => proof !== 'partial')) return 'transfers_left_out';
  return lacks(COIN_KINDS, ({ proof }) => proof === 'proved') ? 'coin_transfers_left_out' : 'complete';
};
