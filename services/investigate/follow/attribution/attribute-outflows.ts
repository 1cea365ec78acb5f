import { largestFirst, sumOf } from '../../model/amount.ts';
import { type Flow, transactionKey } from '../../model/transfer-reader.ts';
import type { CompareOnTrail, Direction } from '../direction.ts';
import { createChanceOfPiece } from '../payments/chance-of-piece.ts';
import { chanceOf, type Inflow, type Outflow, type Stake } from '../payments/inflow.ts';
import { KEPT_WEIGHT, RECEIPTS_MAX } from '../rules.ts';
import { buildMatchGraph, type MatchInput, ownChanceOf, type Receipt } from './build-match-graph.ts';
import { matchMarginals, sumBy } from './match-marginals.ts';

/** Whose money each payment of a wallet is, judged by amounts and times. */
export type Attribution = {
  /** Payments that more likely than not pass on a whole arrival. */
  readonly own: ReadonlySet<Outflow>;
  /** The probability that a payment passes on somebody else's money; a missing entry means 0. */
  readonly commingledChances: ReadonlyMap<Outflow, number>;
  /** The probability that a payment is the followed money, if other receipts were read. A doubtful arrival makes it doubtful too. */
  readonly ownChances: ReadonlyMap<Outflow, number>;
  /** Strangers' receipts since the followed money arrived that no payment clearly passed on, in the trail's order. */
  readonly unmatchedReceipts: readonly Inflow[];
};

export const NO_ATTRIBUTION: Attribution = {
  own: new Set(),
  commingledChances: new Map(),
  ownChances: new Map(),
  unmatchedReceipts: [],
};

type Moved = {
  /** In the trail's order. */
  readonly payments: readonly Outflow[];
  /** Into the wallet, including the followed money. */
  readonly strangers: readonly Flow[];
  readonly stake: Stake;
};

/**
 * Specific identification: a payment that passes on one receipt is the money of that receipt. Courts prefer it to any rule of order.
 * Payments in the transaction that brought the followed money are not matched: there a contract pays out.
 */
export const attributeOutflows = (
  { payments, strangers, stake }: Moved,
  direction: Direction,
): Attribution => {
  const arrivals = stake.lots;
  const compare = direction.compare;
  const arrivalKeys = new Set(arrivals.map(transactionKey));
  const mayBeArrival = isArrival(stake, compare);
  const apart = strangers.filter((flow) => !mayBeArrival(flow) && !arrivalKeys.has(transactionKey(flow)));
  const others = [...apart, ...findBeside({ payments, strangers, stake })];
  // Only the largest arrivals are matched, as many as other receipts are read.
  const largest = arrivals.toSorted(largestFirst).slice(0, RECEIPTS_MAX);
  const receipts = [
    ...largest.map((arrival): Receipt => ({ ...arrival, isOwn: true })),
    ...others.map((flow): Receipt => ({ ...flow, isOwn: false })),
  ];
  const later = payments.filter((payment) => !arrivalKeys.has(transactionKey(payment)));
  const { passedOn, ...matched } = matchOutflows({ payments: later, receipts, arrivals }, direction);
  const [first] = arrivals;
  const unmatchedReceipts = receipts
    .filter((receipt) => !arrivalKeys.has(transactionKey(receipt)) && !passedOn.has(receipt))
    .filter((receipt) => first !== undefined && compare(first, receipt) < 0)
    .sort(compare);
  return { ...matched, unmatchedReceipts };
};

/** What others brought in the same transactions, if the receipts of the followed money are among them and nothing was paid out at once. */
const findBeside = ({ payments, strangers, stake }: Moved): readonly Flow[] => {
  const lots = Map.groupBy(stake.lots, transactionKey);
  const paid = new Set(payments.map(transactionKey));
  return [...Map.groupBy(strangers, transactionKey)].flatMap(([key, flows]) => {
    const own = lots.get(key);
    if (own === undefined || paid.has(key)) return [];
    return without(flows, own) ?? without(flows, [{ amountRaw: sumOf(own) }]) ?? [];
  });
};

/** null if one of them is not there. */
const without = (
  flows: readonly Flow[],
  own: readonly Pick<Inflow, 'amountRaw'>[],
): readonly Flow[] | null => {
  let left = flows;
  for (const { amountRaw } of own) {
    const at = left.findIndex((flow) => flow.amountRaw === amountRaw);
    if (at === -1) return null;
    left = left.toSpliced(at, 1);
  }
  return left;
};

/** If the caller named no payer, every receipt up to the end of that second may be the money. */
const isArrival = ({ lots: [first], source }: Stake, compare: CompareOnTrail): ((flow: Flow) => boolean) =>
  first !== undefined && source === 'caller'
    ? (flow) => flow.blockTime === first.blockTime || compare(flow, first) < 0
    : () => false;

/** Judged by amounts and times. */
type Matched = Omit<Attribution, 'unmatchedReceipts'> & {
  /** Strangers' receipts that are passed on by payments that are probably theirs. */
  readonly passedOn: ReadonlySet<Receipt>;
};

/**
 * Whose money each payment is. At most one payment passes on a receipt, whole or in part; otherwise the wallet keeps it. Each payment
 * passes on one receipt or is a piece of the followed money, which may leave in any number of pieces. All are decided together,
 * because no two payments pass on the same receipt. One that passes on a doubtful receipt is as likely the followed money as that.
 */
export const matchOutflows = (sides: MatchInput, direction: Direction): Matched => {
  const { payments, receipts } = sides;
  const pairs = buildMatchGraph(sides, direction);
  const size = { receipts: receipts.length, payments: payments.length };
  const chances = matchMarginals({ ...size, pairs, aloneWeight: KEPT_WEIGHT });
  const ownOf = pairs.receipts.map((number) => ownChanceOf(receipts[number] as Receipt));
  const ofArrivals = chances.map((chance, at) => chance * (ownOf[at] ?? 0));
  const ofStrangers = chances.map((chance, at) => chance * (1 - (ownOf[at] ?? 0)));
  const ownChances = sumBy(pairs.payments, ofArrivals, size.payments);
  const isSure = sides.arrivals.every((arrival) => chanceOf(arrival) === 1);
  const piece = createChanceOfPiece(sides.arrivals, direction.compare);
  const theirChances = sumBy(pairs.payments, ofStrangers, size.payments);
  const ofTheirs = ofStrangers.map((chance, at) =>
    isLikely(theirChances[pairs.payments[at] ?? 0]) ? chance : 0,
  );
  return {
    own: likely(payments, ownChances),
    commingledChances: new Map(payments.map((payment, at) => [payment, theirChances[at] ?? 0])),
    ownChances: new Map(
      payments.map((payment, at) => {
        const their = theirChances[at] ?? 0;
        if (isSure) return [payment, 1 - their];
        const own = ownChances[at] ?? 0;
        const rest = Math.max(0, 1 - own - their);
        return [payment, Math.min(1, own + rest * piece(payment))];
      }),
    ),
    passedOn: likely(receipts, sumBy(pairs.receipts, ofTheirs, size.receipts)),
  };
};

/** More likely than not. */
export const isLikely = (chance: number | undefined): boolean => chance !== undefined && chance > 0.5;

const likely = <T>(items: readonly T[], chances: Float64Array): ReadonlySet<T> =>
  new Set(items.filter((_, at) => isLikely(chances[at])));
