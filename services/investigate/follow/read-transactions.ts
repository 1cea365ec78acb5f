import type { Chain } from '../model/chain.ts';
import {
  comparePlaces,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../model/transfer-reader.ts';
import type { FollowReads } from './follow-reader.ts';
import { SALE_ROWS_MAX } from './rules.ts';

/** Transactions by `transactionKey`. */
export type ReadTransactions = {
  /** Every hand-over of those that were read, which are read whole. */
  readonly rows: ReadonlyMap<string, readonly TransactionRow[]>;
  /** Those with too many rows: what they hold is not known. */
  readonly unread: ReadonlySet<string>;
};

export const readTransactions = async (
  chain: Chain,
  positions: readonly TransactionPosition[],
  reads: FollowReads,
): Promise<ReadTransactions> => {
  const asked = [...new Map(positions.map((position) => [transactionKey(position), position])).values()];
  const inOrder = asked.sort(comparePlaces);
  const common = { chain: chain.name, limit: SALE_ROWS_MAX };
  const answers = inOrder.length === 0 ? [] : await reads.transactions(common, inOrder);
  const all = inOrder.map((position, at) => [transactionKey(position), answers[at] ?? null] as const);
  return {
    rows: new Map(all.flatMap(([key, rows]) => (rows === null || rows.length === 0 ? [] : [[key, rows]]))),
    unread: new Set(all.flatMap(([key, rows]) => (rows === null ? [key] : []))),
  };
};
