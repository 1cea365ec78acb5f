import type { Chain } from '../model/chain.ts';
import {
  comparePlaces,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../model/transfer-reader.ts';
import type { TablesRead } from './follow-reader.ts';
import { SALE_QUESTIONS_MAX, SALE_ROWS_MAX } from './rules.ts';

/** Transactions by `transactionKey`. */
export type ReadTransactions = {
  /** Every hand-over of those that were read, which are read whole. */
  readonly rows: ReadonlyMap<string, readonly TransactionRow[]>;
  /** Those with too many rows: what they hold is not known. */
  readonly unread: ReadonlySet<string>;
};

/**
 * Mostly one read. Anybody may fill a transaction with rows, so that what one read left out is read again. A transaction that fills a
 * read by itself is left out for good, and those behind it are read.
 */
export const readTransactions = async (
  chain: Chain,
  positions: readonly TransactionPosition[],
  read: TablesRead,
  questionsMax = SALE_QUESTIONS_MAX,
): Promise<ReadTransactions> => {
  const answers: (readonly TransactionRow[])[] = [];
  const tooFull: TransactionPosition[] = [];
  const asking = new Map(positions.map((position) => [transactionKey(position), position]));
  let left = [...asking.values()].sort(comparePlaces);
  for (let questions = 0; left.length > 0 && questions < questionsMax; questions += 1) {
    const asked = { chain: chain.name, positions: left, limit: SALE_ROWS_MAX };
    const come = await read((reader, limits) => reader.wholeTransactions({ ...asked, ...limits }));
    answers.push(come.rows);
    const isStuck = come.unread.length === left.length;
    left = come.unread.toSorted(comparePlaces);
    // Rows come in the order of places, so that it is the first that fills them.
    if (isStuck) tooFull.push(...left.splice(0, 1));
  }
  return {
    rows: Map.groupBy(answers.flat(), transactionKey),
    unread: new Set([...tooFull, ...left].map(transactionKey)),
  };
};
