import type { Address } from '../../model/address.ts';
import { largestFirst } from '../../model/amount.ts';
import { type Flow, type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';

/** Of payments within a transaction what came back to the payer in it: raw units, by `paymentKey`. */
export type Returned = ReadonlyMap<string, bigint>;

/** Backward, `from` is who was paid. */
export const paymentKey = (at: TransactionPosition, from: Address, to: Address): string =>
  `${transactionKey(at)} ${from} ${to}`;

/** The transactions of which some is known, by `transactionKey`. */
export const placesOf = (returned: Returned): ReadonlySet<string> =>
  new Set([...returned.keys()].map((key) => key.slice(0, key.indexOf(' '))));

/** Of the same payment told by both the more that is known to have come back. */
export const joinReturned = (one: Returned, other: Returned): Returned => {
  const joined = new Map(one);
  for (const [key, raw] of other) {
    const known = joined.get(key) ?? 0n;
    if (raw > known) joined.set(key, raw);
  }
  return joined;
};

/** Of a wallet's rows on the trail's way, `onward`, or against it. */
type Side = { readonly wallet: Address; readonly onward: boolean };

/**
 * Takes the rows of one side of a wallet, page after page, and leaves out of each payment what came back within its own
 * transaction: that was not paid. Of several payments to the same wallet it is taken off the largest.
 */
export const createWithoutReturned = (
  returned: Returned,
  { wallet, onward }: Side,
): ((rows: readonly Flow[]) => readonly Flow[]) => {
  if (returned.size === 0) return (rows) => rows;
  const left = new Map(returned);
  const reduce = (row: Flow): Flow => {
    if (row.type === 'swap') return row;
    const key = onward
      ? paymentKey(row, wallet, row.counterparty)
      : paymentKey(row, row.counterparty, wallet);
    const backRaw = left.get(key) ?? 0n;
    if (backRaw === 0n) return row;
    const amountRaw = row.amountRaw > backRaw ? row.amountRaw - backRaw : 0n;
    left.set(key, backRaw - (row.amountRaw - amountRaw));
    return { ...row, amountRaw };
  };
  return (rows) => rows.toSorted(largestFirst).map(reduce);
};
