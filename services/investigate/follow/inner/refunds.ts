import type { Address } from '../../model/address.ts';
import { largestFirst } from '../../model/amount.ts';
import {
  type Flow,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';

/** What came back to its payers within the same transactions. Grows along a trail. */
export type Refunds = {
  /** Of each payment: raw units, by `paymentKey`. */
  readonly raw: Map<string, bigint>;
  /** Through whom it went: they are to be decided again. */
  readonly touched: Set<Address>;
};

export const noRefunds = (): Refunds => ({ raw: new Map(), touched: new Set() });

/** Backward, `from` is who was paid. */
export const paymentKey = (at: TransactionPosition, from: Address, to: Address): string =>
  `${transactionKey(at)} ${from} ${to}`;

/** Of a wallet's rows on the trail's way, `onward`, or against it. */
type Side = { readonly wallet: Address; readonly onward: boolean };

/**
 * Takes the rows of one side of a wallet, page after page, and leaves out of each payment what came back within its own
 * transaction: that was not paid. Of several payments to the same wallet it is taken off the largest.
 */
export const createWithoutRefunds = (
  refunds: Refunds,
  { wallet, onward }: Side,
): ((rows: readonly Flow[]) => readonly Flow[]) => {
  if (refunds.raw.size === 0) return (rows) => rows;
  const takeOff = createTakeOff(refunds);
  return (rows) =>
    rows.toSorted(largestFirst).map((row) => {
      if (row.type === 'swap') return row;
      const [from, to] = onward ? [wallet, row.counterparty] : [row.counterparty, wallet];
      return takeOff(row, paymentKey(row, from, to));
    });
};

/** The same of whole transactions. */
export const withoutRefunds = (
  rows: readonly TransactionRow[],
  refunds: Refunds,
  direction: Direction,
): readonly TransactionRow[] => {
  const takeOff = createTakeOff(refunds);
  return rows
    .toSorted(largestFirst)
    .map((row) => takeOff(row, paymentKey(row, direction.payerOf(row), direction.payeeOf(row))))
    .filter(({ amountRaw }) => amountRaw > 0n);
};

const createTakeOff = (refunds: Refunds) => {
  const left = new Map(refunds.raw);
  return <Row extends { readonly amountRaw: bigint }>(row: Row, key: string): Row => {
    const backRaw = left.get(key) ?? 0n;
    if (backRaw === 0n) return row;
    const amountRaw = row.amountRaw > backRaw ? row.amountRaw - backRaw : 0n;
    left.set(key, backRaw - (row.amountRaw - amountRaw));
    return { ...row, amountRaw };
  };
};
