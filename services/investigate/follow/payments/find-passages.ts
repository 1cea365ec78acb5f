import { largestFirst } from '../../model/amount.ts';
import { type Flow, transactionKey } from '../../model/transfer-reader.ts';
import { claimParts, type Inflow } from './claim-parts.ts';
import {
  type Arrival,
  type CompareOnTrail,
  compareOnTrail,
  type Outgoing,
  sumByTransaction,
} from './outgoing.ts';
import { createTakeReceipt } from './take-receipt.ts';

/** Whose money the payments of a wallet pass on, as far as their amounts say. */
export type Passages = {
  /** What passes on the followed money. */
  readonly own: ReadonlySet<Outgoing>;
  /** What passes on somebody else's. */
  readonly strangers: ReadonlySet<Outgoing>;
  /** What strangers brought after the followed money came and nothing clearly passed on, in the trail's order. */
  readonly unclaimed: readonly Arrival[];
};

export const NO_PASSAGES: Passages = { own: new Set(), strangers: new Set(), unclaimed: [] };

type Sides = {
  /** In the trail's order. */
  readonly payments: readonly Outgoing[];
  /** Into the wallet; in the transactions that brought the followed money, that among them. */
  readonly strangers: readonly Flow[];
  readonly arrivals: readonly Arrival[];
};

/**
 * Specific identification, which courts put before any rule of order: a payment that clearly passes on one receipt is its
 * money. It does so where it comes after it and carries as much, but for a fee; of several receipts the last one that fits
 * and is not passed on yet. What leaves in the very transaction in which the followed money arrived is a contract paying out.
 * Of what is left, parts of receipts are told by how lately those came.
 */
export const findPassages = ({ payments, strangers, arrivals }: Sides, backward: boolean): Passages => {
  const compare = compareOnTrail(backward);
  const own = new Set<Outgoing>();
  const others = new Set<Outgoing>();
  const places = new Set(arrivals.map(transactionKey));
  const mayBeArrival = isArrival(arrivals, compare);
  const apart = strangers.filter((flow) => !mayBeArrival(flow) && !places.has(transactionKey(flow)));
  const inflows = [
    ...arrivals.map((arrival): Inflow => ({ ...arrival, isOwn: true, isUsed: false })),
    ...[...apart, ...findBeside({ payments, strangers, arrivals })].map(
      (flow): Inflow => ({ ...flow, isOwn: false, isUsed: false }),
    ),
  ].sort((a, b) => largestFirst(b, a));
  const later = payments.filter((payment) => !places.has(transactionKey(payment)));
  const takeReceipt = createTakeReceipt(inflows, backward);
  for (const payment of later) {
    const passedOn = takeReceipt(payment);
    if (passedOn !== null) (passedOn.isOwn ? own : others).add(payment);
  }
  const rest = later.filter((payment) => !own.has(payment) && !others.has(payment));
  for (const payment of claimParts({ payments: rest, inflows, arrivals }, compare)) others.add(payment);
  const [first] = arrivals;
  const unclaimed = inflows
    .filter((inflow) => !places.has(transactionKey(inflow)) && !inflow.isUsed)
    .filter((inflow) => first !== undefined && compare(first, inflow) < 0)
    .sort(compare);
  return { own, strangers: others, unclaimed };
};

/** What others brought with those transactions, where one receipt is just the money and nothing was paid out at once. */
const findBeside = ({ payments, strangers, arrivals }: Sides): readonly Flow[] => {
  const arrivedRaw = sumByTransaction(arrivals);
  const paid = new Set(payments.map(transactionKey));
  return [...Map.groupBy(strangers, transactionKey)].flatMap(([key, flows]) => {
    const own = flows.findIndex(({ amountRaw }) => amountRaw === arrivedRaw.get(key));
    return own === -1 || paid.has(key) ? [] : flows.toSpliced(own, 1);
  });
};

/** Where nobody told who brought the money, whatever had come by the end of that second may be it. */
const isArrival = ([first]: readonly Arrival[], compare: CompareOnTrail): ((flow: Flow) => boolean) =>
  first?.isTold ? (flow) => flow.blockTime === first.blockTime || compare(flow, first) < 0 : () => false;
