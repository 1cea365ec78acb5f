import { smallerAmount } from '../encoding/exact-integer.ts';
import type { Row } from './row.ts';

const BASIS_POINTS = 10_000n;

/**
 * Explains by fees what a Token-2022 account did not receive: over the transfers among `rows`, which are all that came into it since
 * it was opened, in order. What was kept back before it changed hands did not change hands either. Returns how much that explains.
 */
export const withhold = (rows: readonly Row[], withheldRaw: bigint): bigint => {
  splitWithheld(rows, withheldRaw);
  let withheld = 0n;
  for (const row of rows) {
    // The rate is a guess: an account that was nearly empty then must not have handed over less than nothing.
    if (row.kind === 'owner_change') row.amountRaw -= smallerAmount(row.amountRaw, withheld);
    else if (row.hidesFee) withheld += row.withheldRaw;
  }
  return withheld;
};

/**
 * The rate is not in the block, so the smallest rate in basis points is taken whose fees, rounded up as the program rounds
 * them, sum to exactly what was withheld; a capped fee has no such rate and is split in proportion, the last transfers
 * taking the remainder. Rows whose instruction names its fee keep it.
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

/** What rounding down left over, from the last transfer on: none bears more than it sent. */
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

/** Fees grow with the rate, so that halving finds it: a node may tell of as many transfers as it wants. */
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
