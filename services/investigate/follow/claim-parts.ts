import type { Flow, TransactionPosition } from '../model/transfer-reader.ts';
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

type Claim = { readonly inflow: Inflow; readonly flow: Flow; readonly weight: number };

/**
 * Payments that pass on a part of what a stranger brought. A part speaks for a receipt as much as
 * it is of it, and the less the longer ago that came; whoever follows money does not know in what parts it leaves, so that
 * every part is as likely of it. Each receipt has one payment, the most likely pair first, and the followed money all that nobody explains
 * better.
 */
export const claimParts = (
  { flows, inflows, arrivals }: Sides,
  compare: CompareOnTrail,
): ReadonlySet<Flow> => {
  const claimed = new Set<Flow>();
  const claims = inflows
    .filter((inflow) => !inflow.isOwn && !inflow.isUsed)
    .flatMap((inflow) => claimsOf(inflow, flows, compare))
    .filter(({ flow, weight }) => weight > ownWeight(flow, arrivals, compare))
    .sort((a, b) => b.weight - a.weight);
  for (const { inflow, flow } of claims) {
    if (inflow.isUsed || claimed.has(flow)) continue;
    inflow.isUsed = true;
    claimed.add(flow);
  }
  return claimed;
};

const claimsOf = (inflow: Inflow, flows: readonly Flow[], compare: CompareOnTrail): Claim[] => {
  const start = firstFrom(inflow, flows, compare);
  return flows.slice(start, start + PARTS_LOOKED_AT).flatMap((flow): Claim[] => {
    if (flow.amountRaw > inflow.amountRaw) return [];
    const part = Number(flow.amountRaw) / Number(inflow.amountRaw);
    return [{ inflow, flow, weight: part * freshness(inflow, flow) }];
  });
};

const ownWeight = (flow: Flow, arrivals: readonly Arrival[], compare: CompareOnTrail): number => {
  const last = arrivals.findLast((arrival) => compare(arrival, flow) <= 0);
  return last === undefined ? 0 : freshness(last, flow);
};

/** Most money moves on soon: as many payments follow a receipt in its first minutes as in the hours after them. */
const freshness = (came: TransactionPosition, left: TransactionPosition): number =>
  1 / (Math.abs(left.blockTime - came.blockTime) + BLOCK_SECONDS_MAX);

/** By halves: where those flows begin that do not lie before it. */
const firstFrom = (at: TransactionPosition, flows: readonly Flow[], compare: CompareOnTrail): number => {
  let low = 0;
  let high = flows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const flow = flows[middle];
    if (flow !== undefined && compare(flow, at) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};
