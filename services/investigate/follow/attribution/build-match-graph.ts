import { sumOf } from '../../model/amount.ts';
import { firstIndex } from '../../model/first-index.ts';
import type { CompareOnTrail, Direction } from '../direction.ts';
import { type Inflow, isDust, type Outflow } from '../payments/inflow.ts';
import {
  BLOCK_SECONDS_MAX,
  PARTS,
  PASSAGE_FEE_MAX_PARTS,
  PASSAGE_WEIGHT,
  PAYMENTS_LOOKED_AT,
} from '../rules.ts';
import type { Pairs } from './match-marginals.ts';

/** What reached a wallet, the followed money or somebody else's. */
export type Receipt = Inflow & { readonly isOwn: boolean };

export type MatchInput = {
  /** In the trail's order, none before the first arrival. */
  readonly payments: readonly Outflow[];
  readonly receipts: readonly Receipt[];
  /** In the trail's order. */
  readonly arrivals: readonly Inflow[];
};

/**
 * Which payment may pass on which receipt, and how likely that is beside its being a piece of the followed money. How lately the receipt
 * came speaks for it, and a part of what a stranger brought as much as it is of it; whoever follows money does not know in what parts it
 * leaves, so that every part is as likely of it, and needs no pair.
 */
export const buildMatchGraph = (
  { payments, receipts, arrivals }: MatchInput,
  direction: Direction,
): Pairs => {
  const compare = direction.compare;
  const paid = payments.map(({ amountRaw }) => Number(amountRaw));
  const ownFreshness = payments.map((payment) => {
    const last = arrivals[firstIndex(arrivals, (arrival) => compare(arrival, payment) > 0) - 1];
    return last === undefined ? 0 : freshness(last, payment);
  });
  const eachNext = createEachNext(payments, sumOf(arrivals), compare);
  const pairs = { receipts: [] as number[], payments: [] as number[], weights: [] as number[] };
  for (const [number, receipt] of receipts.entries()) {
    const brought = Number(receipt.amountRaw);
    eachNext(receipt, (payment, at) => {
      const own = ownFreshness[at] ?? 0;
      const part = (paid[at] ?? 0) / brought;
      const isComplete = mayBeWhole(part) && direction.equalsWithinFee(payment.amountRaw, receipt.amountRaw);
      if (own === 0 || (!isComplete && (receipt.isOwn || part > 1))) return;
      pairs.receipts.push(number);
      pairs.payments.push(at);
      pairs.weights.push(((isComplete ? PASSAGE_WEIGHT : part) * freshness(receipt, payment)) / own);
    });
  }
  return pairs;
};

/** Whether exact amounts have to say it: of most pairs the doubles do. */
const mayBeWhole = (part: number): boolean => part > 0.9 && part < 1.1;

/** Most money moves on soon: as many payments follow a receipt in its first minutes as in the hours after them. */
const freshness = (came: Inflow, left: Inflow): number =>
  1 / (Math.abs(left.blockTime - came.blockTime) + BLOCK_SECONDS_MAX);

type EachNext = (receipt: Receipt, tell: (payment: Outflow, number: number) => void) => void;

/**
 * The payments that may pass on a receipt, each once: the next ones behind it, and the next of about its amount, however many
 * came before those. Crumbs are counted apart: paid behind a receipt they leave as much to look at.
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

/** Two amounts that are the same but for a fee are of one size, or of two that are next to each other. */
const sizeOf = (amountRaw: bigint): number => Math.floor(Math.log(Number(amountRaw)) / SIZE_STEP);
const SIZE_STEP = Math.log(Number(PARTS) / Number(PARTS - PASSAGE_FEE_MAX_PARTS));
