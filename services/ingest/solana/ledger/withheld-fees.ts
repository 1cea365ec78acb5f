import { smallerAmount } from '../encoding/exact-integer.ts';
import type { Row } from './row.ts';

const BASIS_POINTS = 10_000n;

/**
 * Explains a Token-2022 account's shortfall by fees over the transfers among `rows`, which are all that it
 * received since it was opened, in order. An amount withheld before a change of owner did not change owners.
 * Returns how much is explained.
 */
export const withhold = (rows: readonly Row[], withheldRaw: bigint): bigint => {
  splitWithheld(rows, withheldRaw);
  let withheld = 0n;
  for (const row of rows) {
    // The rate is a guess, so a nearly empty account must not have handed over a negative amount.
    if (row.kind === 'owner_change') row.amountRaw -= smallerAmount(row.amountRaw, withheld);
    else if (row.hidesFee) withheld += row.withheldRaw;
  }
  return withheld;
};

/**
 * The rate is not in the block. The smallest rate in basis points is taken whose fees, rounded up like the
 * program's, add up exactly to the withheld amount. A capped fee has no such rate and is split in proportion; the
 * last transfers take the remainder. Rows with a named fee keep it.
 */
const splitWithheld = (rows: readonly Row[], withheldRaw: bigint): void => {
  const open = rows.filter((row) => row.hidesFee && row.amountRaw > 0n);
  let total = 0n;
  for (const row of open) total += row.amountRaw;
  if (total < withheldRaw || total === 0n) return;
  const rate = findRate(open, withheldRaw);
  let rest = withheldRaw;
  for (const row of open) {
    row.withheldRaw = rate === null ? (row.amountRaw * withheldRaw) / total : feeAt(row.amountRaw, rate);
    rest -= row.withheldRaw;
  }
  if (rest > 0n) bearRest(open, rest);
};

/** The rounding remainder, from the last transfer on: none bears more than it sent. */
const bearRest = (rows: readonly Row[], restRaw: bigint): void => {
  let rest = restRaw;
  for (const row of rows.toReversed()) {
    const free = row.amountRaw - row.withheldRaw;
    const share = smallerAmount(free, rest);
    row.withheldRaw += share;
    rest -= share;
  }
};

const feeAt = (amountRaw: bigint, rate: bigint): bigint =>
  (amountRaw * rate + BASIS_POINTS - 1n) / BASIS_POINTS;

/** Fees grow with the rate, so binary search finds it, whatever number of transfers a node reports. */
const findRate = (rows: readonly Row[], withheldRaw: bigint): bigint | null => {
  if (rows.length < 2) return null;
  let [low, high] = [0n, BASIS_POINTS];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (feesAt(rows, middle) < withheldRaw) low = middle + 1n;
    else high = middle;
  }
  return feesAt(rows, low) === withheldRaw ? low : null;
};

const feesAt = (rows: readonly Row[], rate: bigint): bigint => {
  let sum = 0n;
  for (const row of rows) sum += feeAt(row.amountRaw, rate);
  return sum;
};
