import {
  comparePlaces,
  type TransactionPosition,
  type TransactionRow,
  type TransferReader,
  transactionKey,
} from '../../model/transfer-reader.ts';
import type { Kind } from '../kind.ts';
import { kind } from './make-kind.ts';

/** Queries for as many transactions as one question mostly asks about; more have as many queries each. */
const QUERIES_MAX = 4;
const TRANSACTIONS_MAX = 100;

type Common = {
  readonly chain: string;
  /** Of one query. */
  readonly rowsMax: number;
};
/** null: it has too many rows, and what it holds is not known. */
type Answer = readonly TransactionRow[] | null;

/**
 * Whole transactions. Mostly one query. Anybody may fill a transaction with rows, so that what one query left out is asked for again. A
 * transaction that fills a query by itself is left out for good, and those behind it are read.
 */
export const transactionsKind = (
  reader: Pick<TransferReader, 'wholeTransactions'>,
): Kind<Common, TransactionPosition, Answer> =>
  kind<Common, TransactionPosition, Answer>({
    query: async ({ chain, rowsMax }, positions, limits) => {
      const ask = (left: readonly TransactionPosition[]) =>
        reader.wholeTransactions({ chain, positions: left, limit: rowsMax, ...limits });
      const { rows, unread } = await readAll(positions, ask);
      return positions.map(transactionKey).map((key) => (unread.has(key) ? null : (rows.get(key) ?? [])));
    },
    textOf: transactionKey,
    isKept: true,
    rowsOf: (rows) => rows?.length ?? 0,
    isCut: (rows) => rows === null,
  });

const readAll = async (
  positions: readonly TransactionPosition[],
  ask: (left: readonly TransactionPosition[]) => ReturnType<TransferReader['wholeTransactions']>,
) => {
  const answers: (readonly TransactionRow[])[] = [];
  const tooFull: TransactionPosition[] = [];
  const queriesMax = QUERIES_MAX * Math.ceil(positions.length / TRANSACTIONS_MAX);
  let left = positions.toSorted(comparePlaces);
  for (let queries = 0; left.length > 0 && queries < queriesMax; queries += 1) {
    const come = await ask(left);
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
