import { KEPT_WEIGHT } from '../rules.ts';
import { type Arrival, type CompareOnTrail, chanceOf, compareOnTrail, type Outgoing } from './outgoing.ts';
import { pairPayments, type Receipt, type Sides } from './pair-payments.ts';
import { passMessages, sumBy } from './pass-messages.ts';

/** As far as amounts and times say. */
export type Attribution = {
  /** Payments that more likely than not pass on a whole arrival. */
  readonly own: ReadonlySet<Outgoing>;
  /** How probably each payment passes on what somebody else brought. */
  readonly strangerChances: ReadonlyMap<Outgoing, number>;
  /** How probably each payment is the followed money, where that itself is in doubt: what passes on a doubtful arrival is as doubtful. */
  readonly ownChances: ReadonlyMap<Outgoing, number>;
  /** What strangers brought and payments pass on that are theirs more likely than not. */
  readonly passedOn: ReadonlySet<Receipt>;
};

/**
 * Whose money each payment is. Every receipt is passed on by one payment at most, whole or a part of it, or is kept; every payment
 * passes on one receipt, or is a piece of the followed money, which may leave in any number of pieces. All of them are told
 * together, since what one payment passes on no other does.
 */
export const attributePayments = (sides: Sides, backward: boolean): Attribution => {
  const { payments, receipts } = sides;
  const pairs = pairPayments(sides, backward);
  const size = { receipts: receipts.length, payments: payments.length };
  const chances = passMessages({ ...size, pairs, aloneWeight: KEPT_WEIGHT });
  const isOwn = (at: number): boolean => receipts[pairs.receipts[at] ?? 0]?.isOwn === true;
  const ofArrivals = chances.map((chance, at) => (isOwn(at) ? chance : 0));
  const ofStrangers = chances.map((chance, at) => (isOwn(at) ? 0 : chance));
  const ownChances = sumBy(pairs.payments, ofArrivals, size.payments);
  const weighed = ofArrivals.map((chance, at) => chance * chanceOf(receipts[pairs.receipts[at] ?? 0] ?? {}));
  const weighedChances = sumBy(pairs.payments, weighed, size.payments);
  const isSure = sides.arrivals.every((arrival) => chanceOf(arrival) === 1);
  const piece = chanceOfPiece(sides.arrivals, compareOnTrail(backward));
  const theirChances = sumBy(pairs.payments, ofStrangers, size.payments);
  const ofTheirs = ofStrangers.map((chance, at) =>
    isLikely(theirChances[pairs.payments[at] ?? 0]) ? chance : 0,
  );
  return {
    own: likely(payments, ownChances),
    strangerChances: new Map(payments.map((payment, at) => [payment, theirChances[at] ?? 0])),
    ownChances: new Map(
      payments.map((payment, at) => {
        const their = theirChances[at] ?? 0;
        if (isSure) return [payment, 1 - their];
        const rest = Math.max(0, 1 - (ownChances[at] ?? 0) - their);
        return [payment, Math.min(1, (weighedChances[at] ?? 0) + rest * piece(payment))];
      }),
    ),
    passedOn: likely(receipts, sumBy(pairs.receipts, ofTheirs, size.receipts)),
  };
};

/** Of a piece of what had arrived by then; asked in the trail's order. */
const chanceOfPiece = (
  arrivals: readonly Arrival[],
  compare: CompareOnTrail,
): ((payment: Outgoing) => number) => {
  let next = 0;
  let came = 0;
  let own = 0;
  return (payment) => {
    for (let arrival = arrivals[next]; arrival && compare(arrival, payment) <= 0; arrival = arrivals[next]) {
      came += Number(arrival.amountRaw);
      own += Number(arrival.amountRaw) * chanceOf(arrival);
      next += 1;
    }
    return came === 0 ? 0 : own / came;
  };
};

/** More likely than not. */
export const isLikely = (chance: number | undefined): boolean => chance !== undefined && chance > 0.5;

const likely = <T>(items: readonly T[], chances: Float64Array): ReadonlySet<T> =>
  new Set(items.filter((_, at) => isLikely(chances[at])));
