import type { Flow } from '../model/transfer-reader.ts';
import { claimParts, type Inflow } from './claim-parts.ts';
import { firstIndex } from './first-index.ts';
import type { Arrival, CompareOnTrail } from './outgoing.ts';
import { PARTS, PASSAGE_FEE_MAX_PARTS } from './rules.ts';

/** Whose money the flows out of a wallet pass on, as far as their amounts say. */
export type Passages = {
  /** What passes on the followed money. */
  readonly own: ReadonlySet<Flow>;
  /** What passes on somebody else's. */
  readonly strangers: ReadonlySet<Flow>;
  /** What strangers brought after the followed money came and nothing clearly passed on, in the trail's order. */
  readonly unclaimed: readonly Arrival[];
};

export const NO_PASSAGES: Passages = { own: new Set(), strangers: new Set(), unclaimed: [] };

type Sides = {
  /** Out of the wallet, in the trail's order. */
  readonly flows: readonly Flow[];
  /** Into the wallet, the followed money left out. */
  readonly strangers: readonly Flow[];
  readonly arrivals: readonly Arrival[];
};

/**
 * Specific identification, which courts put before any rule of order: a payment that clearly passes on one receipt is its
 * money. It does so where it comes after it and carries as much, but for a fee; of several receipts the last one that fits
 * and is not passed on yet. What leaves in the very transaction in which the followed money arrived is a contract paying out.
 * Of what is left, parts of receipts are told by how lately those came.
 */
export const findPassages = ({ flows, strangers, arrivals }: Sides, compare: CompareOnTrail): Passages => {
  const own = new Set<Flow>();
  const others = new Set<Flow>();
  const isOfArrival = (flow: Flow): boolean => arrivals.some((arrival) => compare(arrival, flow) === 0);
  const inflows = [
    ...arrivals.map((arrival): Inflow => ({ ...arrival, isOwn: true, isUsed: false })),
    ...strangers
      .filter((flow) => flow.type === 'transfer' && !isOfArrival(flow))
      .map((flow): Inflow => ({ ...flow, isOwn: false, isUsed: false })),
  ].sort((a, b) => (a.amountRaw < b.amountRaw ? -1 : Number(a.amountRaw > b.amountRaw)));
  for (const flow of flows) {
    if (isOfArrival(flow)) continue;
    const passedOn = findLastFitting(inflows, flow, compare);
    if (passedOn === null) continue;
    passedOn.isUsed = true;
    (passedOn.isOwn ? own : others).add(flow);
  }
  const rest = flows.filter((flow) => !isOfArrival(flow) && !own.has(flow) && !others.has(flow));
  for (const flow of claimParts({ flows: rest, inflows, arrivals }, compare)) others.add(flow);
  const [first] = arrivals;
  const unclaimed = inflows
    .filter((inflow) => !inflow.isOwn && !inflow.isUsed && first !== undefined && compare(first, inflow) < 0)
    .sort(compare);
  return { own, strangers: others, unclaimed };
};

const findLastFitting = (inflows: readonly Inflow[], flow: Flow, compare: CompareOnTrail): Inflow | null => {
  let found: Inflow | null = null;
  for (
    let at = firstIndex(inflows, ({ amountRaw }) => amountRaw >= flow.amountRaw);
    at < inflows.length;
    at += 1
  ) {
    const inflow = inflows[at];
    if (inflow === undefined || flow.amountRaw * PARTS < inflow.amountRaw * (PARTS - PASSAGE_FEE_MAX_PARTS))
      break;
    if (inflow.isUsed || compare(inflow, flow) > 0) continue;
    if (found === null || compare(found, inflow) < 0) found = inflow;
  }
  return found;
};
