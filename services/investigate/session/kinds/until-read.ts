import type { Query } from '../../model/query.ts';
import { comparePlaces, type TransactionPosition } from '../../model/transfer-reader.ts';

/** Queries for as many transactions as one question mostly asks about; more have as many queries each. */
const QUERIES_MAX = 4;
const TRANSACTIONS_MAX = 100;

/**
 * Mostly one query. Anybody may fill a transaction with rows, so that those for which an answer had no room (null) are asked for again. A
 * transaction that fills a query by itself is left out for good, and those behind it are read.
 */
export const untilRead =
  <Common, Key extends TransactionPosition, Answer>(
    query: Query<Common, Key, Answer | null>,
  ): Query<Common, Key, Answer | null> =>
  async (common, keys, limits) => {
    const answers: (Answer | null)[] = keys.map(() => null);
    const placeOf = (at: number): Key => keys[at] as Key;
    const queriesMax = QUERIES_MAX * Math.ceil(keys.length / TRANSACTIONS_MAX);
    let left = [...keys.keys()].sort((a, b) => comparePlaces(placeOf(a), placeOf(b)));
    for (let queries = 0; left.length > 0 && queries < queriesMax; queries += 1) {
      const come = await query(common, left.map(placeOf), limits);
      for (const [index, at] of left.entries()) answers[at] = come[index] ?? null;
      const unread = left.filter((at) => answers[at] === null);
      // Rows come in the order of places, so that it is the first that fills them.
      left = unread.length === left.length ? unread.slice(1) : unread;
    }
    return answers;
  };
