import { sumOf } from '../../model/amount.ts';
import type { TransactionPosition } from '../../model/transfer-reader.ts';
import { BLOCK_SECONDS_MAX, PARTS_LOOKED_AT } from '../rules.ts';
import { firstIndex } from './first-index.ts';
import { isCrumb } from './is-crumb.ts';
import type { Arrival, CompareOnTrail, Outgoing } from './outgoing.ts';

/** What reached a wallet, the followed money or somebody else's. */
export type Inflow = TransactionPosition & {
  readonly amountRaw: bigint;
  readonly isOwn: boolean;
  /** Something else passes it on. */
  isUsed: boolean;
};

type Sides = {
  /** Those that pass on no whole receipt, in the trail's order. */
  readonly payments: readonly Outgoing[];
  readonly inflows: readonly Inflow[];
  /** In the trail's order. */
  readonly arrivals: readonly Arrival[];
};

/** A payment, and what it would be as the followed money. */
type Weighed = { readonly payment: Outgoing; readonly amount: number; readonly ownWeight: number };
type Claim = { readonly inflow: Inflow; readonly payment: Outgoing; readonly weight: number };

/**
 * Payments that pass on a part of what a stranger brought. A part speaks for a receipt as much as it is of it, and the less the
 * longer ago that came; whoever follows money does not know in what parts it leaves, so that every part is as likely of it. Each
 * receipt has one payment, the most likely pair first, and the followed money all that nobody explains better.
 */
export const claimParts = (
  { payments, inflows, arrivals }: Sides,
  compare: CompareOnTrail,
): ReadonlySet<Outgoing> => {
  const weighed = payments.map((payment): Weighed => {
    const last = arrivals[firstIndex(arrivals, (arrival) => compare(arrival, payment) > 0) - 1];
    return {
      payment,
      amount: Number(payment.amountRaw),
      ownWeight: last === undefined ? 0 : freshness(last, payment),
    };
  });
  const arrivedRaw = sumOf(arrivals);
  // Crumbs that are paid behind a receipt leave as much to look at.
  const apart = Map.groupBy(weighed, ({ payment }) => isCrumb(payment, arrivedRaw));
  const claims = inflows
    .filter(({ isOwn }) => !isOwn)
    .flatMap((inflow) => [...apart.values()].flatMap((some) => claimsOf(inflow, some, compare)))
    .sort((a, b) => b.weight - a.weight);
  const claimed = new Set<Outgoing>();
  for (const { inflow, payment } of claims) {
    if (inflow.isUsed || claimed.has(payment)) continue;
    inflow.isUsed = true;
    claimed.add(payment);
  }
  return claimed;
};

const claimsOf = (inflow: Inflow, payments: readonly Weighed[], compare: CompareOnTrail): Claim[] => {
  const claims: Claim[] = [];
  const brought = Number(inflow.amountRaw);
  const start = firstIndex(payments, ({ payment }) => compare(inflow, payment) <= 0);
  const end = Math.min(start + PARTS_LOOKED_AT, payments.length);
  // A busy wallet has a thousand receipts and as many payments, so that nothing is made of pairs that claim nothing.
  for (let at = start; at < end; at += 1) {
    const weighed = payments[at];
    if (weighed === undefined || weighed.amount > brought) continue;
    const { payment, amount, ownWeight } = weighed;
    const weight = (amount / brought) * freshness(inflow, payment);
    if (weight > ownWeight) claims.push({ inflow, payment, weight });
  }
  return claims;
};

/** Most money moves on soon: as many payments follow a receipt in its first minutes as in the hours after them. */
const freshness = (came: TransactionPosition, left: TransactionPosition): number =>
  1 / (Math.abs(left.blockTime - came.blockTime) + BLOCK_SECONDS_MAX);
