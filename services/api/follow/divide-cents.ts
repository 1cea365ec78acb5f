import type { FlowGraph, FlowOutcome, OutcomeSum } from '../../investigate/follow/graph/flow-graph.ts';
import { least } from '../../investigate/model/amount.ts';

/** Dollars of the parts of what was taken. */
export type Cents = Readonly<Record<'taken' | 'ends' | 'rest' | 'frontier', number | null>>;

/** Rounds each part to cents so that they add up to the whole. The remainder goes to the resting part. */
export const divideCents = ({ coverage }: FlowGraph, usd: number | null): Cents => {
  if (usd === null) return { taken: null, ends: null, rest: null, frontier: null };
  const taken = BigInt(Math.round(usd * 100));
  const of = (raw: bigint): bigint => partOf(taken, raw, coverage.takenRaw);
  const ends = of(coverage.endsRaw);
  // Two halves of a cent would round up to one more than there is.
  const frontier = least(of(coverage.frontierRaw), taken - ends);
  return {
    ...{ taken: toDollars(taken), ends: toDollars(ends), frontier: toDollars(frontier) },
    rest: toDollars(taken - ends - frontier),
  };
};

const toDollars = (cents: bigint): number => Number(cents) / 100;

const partOf = (taken: bigint, raw: bigint, ofRaw: bigint): bigint =>
  ofRaw === 0n ? 0n : (2n * taken * raw + ofRaw) / (2n * ofRaw);

const PART_OF: Readonly<Record<FlowOutcome, Exclude<keyof Cents, 'taken'>>> = {
  ...{ exchange: 'ends', bridge: 'ends', mixer: 'ends', dex_swap: 'ends', position: 'ends' },
  ...{ frozen: 'rest', burned: 'rest', fees: 'rest', at_rest: 'rest', frontier: 'frontier' },
};

export type ToldOutcome = OutcomeSum & { readonly usd: number | null };

/** Rounds each outcome to cents so that those of a part add up to it. The remainder goes to the largest of them. */
export const divideOutcomes = (
  { outcomes, coverage: { takenRaw } }: FlowGraph,
  cents: Cents,
): readonly ToldOutcome[] => {
  if (cents.taken === null) return outcomes.map((sum) => ({ ...sum, usd: null }));
  const taken = BigInt(Math.round(cents.taken * 100));
  const left = new Map(
    (['ends', 'rest', 'frontier'] as const).map((part) => [
      part,
      BigInt(Math.round((cents[part] ?? 0) * 100)),
    ]),
  );
  const isLargest = ({ outcome }: OutcomeSum): boolean =>
    outcomes.find((sum) => PART_OF[sum.outcome] === PART_OF[outcome])?.outcome === outcome;
  const told = outcomes.toReversed().map((sum) => {
    const part = PART_OF[sum.outcome];
    const leftCents = left.get(part) ?? 0n;
    const own = isLargest(sum) ? leftCents : least(leftCents, partOf(taken, sum.amountRaw, takenRaw));
    left.set(part, leftCents - own);
    return { ...sum, usd: toDollars(own) };
  });
  return told.toReversed();
};
