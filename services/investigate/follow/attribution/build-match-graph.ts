import { sumOf } from '../../model/amount.ts';
import { firstIndex } from '../../model/first-index.ts';
import type { CompareOnTrail, Direction } from '../direction.ts';
import { chanceOf, type Inflow, isDust, type Outflow } from '../payments/inflow.ts';
import {
  BLOCK_SECONDS_MAX,
  PARTS,
  PASSAGE_FEE_MAX_PARTS,
  PASSAGE_WEIGHT,
  PAYMENTS_LOOKED_AT,
} from '../rules.ts';
import type { Pairs } from './match-marginals.ts';

/** A receipt of a wallet: the followed money or somebody else's. */
export type Receipt = Inflow & { readonly isOwn: boolean };

/** The probability that a receipt is the followed money. */
export const ownChanceOf = (receipt: Receipt): number => (receipt.isOwn ? chanceOf(receipt) : 0);

export type MatchInput = {
  /** In the trail's order, none before the first arrival. */
  readonly payments: readonly Outflow[];
  readonly receipts: readonly Receipt[];
  /** In the trail's order. */
  readonly arrivals: readonly Inflow[];
};

/**
 * The pairs of receipt and payment that may match, each weighted against the payment being a piece of the followed money. A recent
 * receipt weighs more. A partial payment of a stranger's receipt weighs by its share of the receipt. Parts of the followed money need no
 * pair: every part of it is equally likely. A doubtful receipt has pairs with its parts as far as it is a stranger's.
 */
export const buildMatchGraph = (
  { payments, receipts, arrivals }: MatchInput,
  direction: Direction,
): Pairs => {
  const compare = direction.compare;
  const paid = payments.map(({ amountRaw }) => Number(amountRaw));
  const ownFreshness = payments.map(createOwnFreshness(arrivals, compare));
  const eachNext = createEachNext(payments, sumOf(arrivals), compare);
  const pairs = { receipts: [] as number[], payments: [] as number[], weights: [] as number[] };
  for (const [number, receipt] of receipts.entries()) {
    const brought = Number(receipt.amountRaw);
    const ownChance = ownChanceOf(receipt);
    eachNext(receipt, (payment, at) => {
      const own = ownFreshness[at] ?? 0;
      const part = (paid[at] ?? 0) / brought;
      const isComplete = mayBeWhole(part) && direction.equalsWithinFee(payment.amountRaw, receipt.amountRaw);
      if (own === 0 || (!isComplete && (ownChance === 1 || part > 1))) return;
      pairs.receipts.push(number);
      pairs.payments.push(at);
      const weight = isComplete ? PASSAGE_WEIGHT : part * (1 - ownChance);
      pairs.weights.push((weight * freshness(receipt, payment)) / own);
    });
  }
  return pairs;
};

/** Whether the exact amounts must decide; for most pairs their doubles suffice. */
const mayBeWhole = (part: number): boolean => part > 0.9 && part < 1.1;

/** Most money moves on soon: about as many payments follow a receipt in its first minutes as in the following hours. */
const freshness = (came: Inflow, left: Inflow): number =>
  1 / (Math.abs(left.blockTime - came.blockTime) + BLOCK_SECONDS_MAX);

/**
 * The freshness of the last arrival before a payment, where a doubtful arrival counts by its chance. Anybody can send thousands of doubtful
 * ones, so it keeps only those that may still count most. Ask for payments in the trail's order.
 */
const createOwnFreshness = (
  arrivals: readonly Inflow[],
  compare: CompareOnTrail,
): ((payment: Outflow) => number) => {
  /** Each is less likely than the one before it, and counts most at some time. */
  const kept: Inflow[] = [];
  let next = 0;
  return (payment) => {
    for (let arrival = arrivals[next]; arrival && compare(arrival, payment) <= 0; arrival = arrivals[next]) {
      for (let last = kept.at(-1); last && isOutdone(kept.at(-2), last, arrival); last = kept.at(-1))
        kept.pop();
      kept.push(arrival);
      next += 1;
    }
    const counts = (at: number): number => {
      const arrival = kept.at(at);
      return arrival === undefined ? 0 : chanceOf(arrival) * freshness(arrival, payment);
    };
    // Once an earlier one counts more, it always will.
    while (kept.length > 1 && counts(-2) >= counts(-1)) kept.pop();
    return counts(-1);
  };
};

/**
 * Whether the arrival before or the one after counts at least as much at any later time. As points of time and chance, such an arrival lies
 * below the line between the two.
 */
const isOutdone = (before: Inflow | undefined, arrival: Inflow, after: Inflow): boolean => {
  const [lost, gained] = [
    chanceOf(arrival) - chanceOf(after),
    chanceOf(before ?? arrival) - chanceOf(arrival),
  ];
  const secondsFrom = (other: Inflow): number => Math.abs(other.blockTime - arrival.blockTime);
  return lost <= 0 || secondsFrom(before ?? arrival) * lost < secondsFrom(after) * gained;
};

type EachNext = (receipt: Receipt, tell: (payment: Outflow, number: number) => void) => void;

/**
 * The payments that may pass on a receipt, each once: the next ones after it, and the next ones of about the same amount. Dust is
 * counted separately, so that dust payments cannot push real ones out.
 */
const createEachNext = (
  payments: readonly Outflow[],
  arrivedRaw: bigint,
  compare: CompareOnTrail,
): EachNext => {
  const numbered = [...payments.entries()];
  const apart = [...Map.groupBy(numbered, ([, payment]) => isDust(payment, arrivedRaw)).values()];
  const bySize = Map.groupBy(numbered, ([, { amountRaw }]) => sizeOf(amountRaw));
  const toldFor: (Receipt | undefined)[] = [];
  return (receipt, tell) => {
    const size = sizeOf(receipt.amountRaw);
    const alike = [size - 1, size, size + 1].map((near) => bySize.get(near) ?? []);
    for (const some of [...apart, ...alike]) {
      const start = firstIndex(some, ([, payment]) => compare(receipt, payment) <= 0);
      for (const [at, payment] of some.slice(start, start + PAYMENTS_LOOKED_AT)) {
        if (toldFor[at] === receipt) continue;
        toldFor[at] = receipt;
        tell(payment, at);
      }
    }
  };
};

/** Amounts that differ only by a fee have the same size class or adjacent ones. */
const sizeOf = (amountRaw: bigint): number => Math.floor(Math.log(Number(amountRaw)) / SIZE_STEP);
const SIZE_STEP = Math.log(Number(PARTS) / Number(PARTS - PASSAGE_FEE_MAX_PARTS));
