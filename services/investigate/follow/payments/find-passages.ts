import { largestFirst } from '../../model/amount.ts';
import { type Flow, transactionKey } from '../../model/transfer-reader.ts';
import { RECEIPTS_MAX } from '../rules.ts';
import { attributePayments } from './attribute-payments.ts';
import {
  type Arrival,
  type CompareOnTrail,
  compareOnTrail,
  type Outgoing,
  sumByTransaction,
} from './outgoing.ts';
import type { Receipt } from './pair-payments.ts';
import type { Stake } from './stake.ts';

/** Whose money the payments of a wallet pass on, as far as their amounts say. */
export type Passages = {
  /** What passes on the followed money whole. */
  readonly own: ReadonlySet<Outgoing>;
  /** How probably a payment passes on somebody else's; none stands for 0. */
  readonly strangerChances: ReadonlyMap<Outgoing, number>;
  /** How probably it is the followed money, where other receipts were read. */
  readonly ownChances: ReadonlyMap<Outgoing, number>;
  /** What strangers brought after the followed money came and nothing clearly passed on, in the trail's order. */
  readonly unclaimed: readonly Arrival[];
};

export const NO_PASSAGES: Passages = {
  own: new Set(),
  strangerChances: new Map(),
  ownChances: new Map(),
  unclaimed: [],
};

type Sides = {
  /** In the trail's order. */
  readonly payments: readonly Outgoing[];
  /** Into the wallet; in the transactions that brought the followed money, that among them. */
  readonly strangers: readonly Flow[];
  readonly stake: Stake;
};

/**
 * Specific identification, which courts put before any rule of order: a payment that passes on one receipt is its money. What
 * leaves in the very transaction in which the followed money arrived is a contract paying out, and asked nothing of.
 */
export const findPassages = ({ payments, strangers, stake }: Sides, backward: boolean): Passages => {
  const arrivals = stake.lots;
  const compare = compareOnTrail(backward);
  const places = new Set(arrivals.map(transactionKey));
  const mayBeArrival = isArrival(stake, compare);
  const apart = strangers.filter((flow) => !mayBeArrival(flow) && !places.has(transactionKey(flow)));
  const others = [...apart, ...findBeside({ payments, strangers, stake })];
  // Of the money itself only whole arrivals are told, and as many of them as are read of others: it may come in any number.
  const largest = arrivals.toSorted(largestFirst).slice(0, RECEIPTS_MAX);
  const receipts = [
    ...largest.map((arrival): Receipt => ({ ...arrival, isOwn: true })),
    ...others.map((flow): Receipt => ({ ...flow, isOwn: false })),
  ];
  const later = payments.filter((payment) => !places.has(transactionKey(payment)));
  const sides = { payments: later, receipts, arrivals };
  const { own, strangerChances, ownChances, passedOn } = attributePayments(sides, backward);
  const [first] = arrivals;
  const unclaimed = receipts
    .filter((receipt) => !places.has(transactionKey(receipt)) && !passedOn.has(receipt))
    .filter((receipt) => first !== undefined && compare(first, receipt) < 0)
    .sort(compare);
  return { own, strangerChances, ownChances, unclaimed };
};

/** What others brought with those transactions, where one receipt is just the money and nothing was paid out at once. */
const findBeside = ({ payments, strangers, stake }: Sides): readonly Flow[] => {
  const arrivedRaw = sumByTransaction(stake.lots);
  const paid = new Set(payments.map(transactionKey));
  return [...Map.groupBy(strangers, transactionKey)].flatMap(([key, flows]) => {
    const own = flows.findIndex(({ amountRaw }) => amountRaw === arrivedRaw.get(key));
    return own === -1 || paid.has(key) ? [] : flows.toSpliced(own, 1);
  });
};

/** Where nobody told who brought the money, whatever had come by the end of that second may be it. */
const isArrival = ({ lots: [first], told }: Stake, compare: CompareOnTrail): ((flow: Flow) => boolean) =>
  first !== undefined && told === 'request'
    ? (flow) => flow.blockTime === first.blockTime || compare(flow, first) < 0
    : () => false;
