import type { Flow, TransactionPosition } from '../model/transfer-reader.ts';
import { firstIndex } from './first-index.ts';
import type { Arrival, CompareOnTrail } from './outgoing.ts';
import { BLOCK_SECONDS_MAX, PARTS_LOOKED_AT } from './rules.ts';

/** What reached a wallet, the followed money or somebody else's. */
export type Inflow = TransactionPosition & {
  readonly amountRaw: bigint;
  readonly isOwn: boolean;
  /** Something else passes it on. */
  isUsed: boolean;
};

type Sides = {
  /** Payments that pass on no whole receipt, in the trail's order. */
  readonly flows: readonly Flow[];
  readonly inflows: readonly Inflow[];
  readonly arrivals: readonly Arrival[];
};

/** A payment, and what it would be as the followed money. */
type Payment = { readonly flow: Flow; readonly amount: number; readonly ownWeight: number };
type Claim = { readonly inflow: Inflow; readonly flow: Flow; readonly weight: number };

/**
 * Payments that pass on a part of what a stranger brought. A part speaks for a receipt as much as it is of it, and the less the
 * longer ago that came; whoever follows money does not know in what parts it leaves, so that every part is as likely of it. Each
 * receipt has one payment, the most likely pair first, and the followed money all that nobody explains better.
 */
export const claimParts = (
  { flows, inflows, arrivals }: Sides,
  compare: CompareOnTrail,
): ReadonlySet<Flow> => {
  const payments = flows.map((flow): Payment => {
    const last = arrivals.findLast((arrival) => compare(arrival, flow) <= 0);
    return {
      flow,
      amount: Number(flow.amountRaw),
      ownWeight: last === undefined ? 0 : freshness(last, flow),
    };
  });
  const claims = inflows
    .filter(({ isOwn }) => !isOwn)
    .flatMap((inflow) => claimsOf(inflow, payments, compare))
    .sort((a, b) => b.weight - a.weight);
  const claimed = new Set<Flow>();
  for (const { inflow, flow } of claims) {
    if (inflow.isUsed || claimed.has(flow)) continue;
    inflow.isUsed = true;
    claimed.add(flow);
  }
  return claimed;
};

const claimsOf = (inflow: Inflow, payments: readonly Payment[], compare: CompareOnTrail): Claim[] => {
  const claims: Claim[] = [];
  const brought = Number(inflow.amountRaw);
  const start = firstIndex(payments, ({ flow }) => compare(inflow, flow) <= 0);
  const end = Math.min(start + PARTS_LOOKED_AT, payments.length);
  // A busy wallet has a thousand receipts and as many payments, so that nothing is made of pairs that claim nothing.
  for (let at = start; at < end; at += 1) {
    const payment = payments[at];
    if (payment === undefined || payment.amount > brought) continue;
    const weight = (payment.amount / brought) * freshness(inflow, payment.flow);
    if (weight > payment.ownWeight) claims.push({ inflow, flow: payment.flow, weight });
  }
  return claims;
};

/** Most money moves on soon: as many payments follow a receipt in its first minutes as in the hours after them. */
const freshness = (came: TransactionPosition, left: TransactionPosition): number =>
  1 / (Math.abs(left.blockTime - came.blockTime) + BLOCK_SECONDS_MAX);
