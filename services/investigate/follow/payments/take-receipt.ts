import type { Inflow } from './claim-parts.ts';
import { firstIndex } from './first-index.ts';
import { isPassedOn } from './is-passed-on.ts';
import { compareOnTrail, type Outgoing } from './outgoing.ts';

/** The last receipt that had come by a payment, carries as much but for a fee, and is not used; null where none does. */
export type TakeReceipt = (payment: Outgoing) => Inflow | null;

/**
 * Takes payments in the trail's order, and marks what it finds for them as used. `inflows` stand by their amounts, the least
 * first. Anybody may send a wallet any number of equal sums: none of them is looked at twice.
 */
export const createTakeReceipt = (inflows: readonly Inflow[], backward: boolean): TakeReceipt => {
  const compare = compareOnTrail(backward);
  // Of those that came at once the one of the least amount is the last.
  const byTime = inflows.map((inflow, at) => ({ inflow, at })).reverse();
  byTime.sort((a, b) => compare(a.inflow, b.inflow));
  const unused = createMaxima(inflows.length);
  let come = 0;
  return (payment) => {
    for (let next = byTime[come]; next !== undefined; next = byTime[come]) {
      if (compare(next.inflow, payment) > 0) break;
      unused.set(next.at, come);
      come += 1;
    }
    const paidRaw = payment.amountRaw;
    // Those that fit stand together: behind all that are too small, before all that are too large.
    const fits = ({ amountRaw }: Inflow): boolean => isPassedOn(paidRaw, amountRaw, backward);
    const from = firstIndex(inflows, (inflow) => fits(inflow) || inflow.amountRaw >= paidRaw);
    const to = firstIndex(inflows, (inflow) => !fits(inflow) && inflow.amountRaw >= paidRaw);
    const latest = unused.most(from, to);
    const found = byTime[latest];
    if (found === undefined) return null;
    unused.set(found.at, NOTHING);
    found.inflow.isUsed = true;
    return found.inflow;
  };
};

const NOTHING = -1;

type Maxima = {
  readonly set: (place: number, value: number) => void;
  /** Of the places from the first up to the second, which is not among them. */
  readonly most: (from: number, to: number) => number;
};

/** Numbers in so many places, nothing at first: a tree in which each node has the larger of the two below it. */
const createMaxima = (size: number): Maxima => {
  let leaves = 1;
  while (leaves < size) leaves *= 2;
  const nodes = new Int32Array(2 * leaves).fill(NOTHING);
  const at = (node: number): number => nodes[node] ?? NOTHING;
  return {
    set: (place, value) => {
      let node = leaves + place;
      nodes[node] = value;
      for (node >>= 1; node > 0; node >>= 1) nodes[node] = Math.max(at(2 * node), at(2 * node + 1));
    },
    most: (from, to) => {
      let most = NOTHING;
      for (let low = leaves + from, high = leaves + to; low < high; low >>= 1, high >>= 1) {
        if (low % 2 === 1) most = Math.max(most, at(low++));
        if (high % 2 === 1) most = Math.max(most, at(--high));
      }
      return most;
    },
  };
};
