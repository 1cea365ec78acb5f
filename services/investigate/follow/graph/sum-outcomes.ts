import { addRaw, largestFirst } from '../../model/amount.ts';
import { divideRest } from '../fates/fate.ts';
import type { FlowGraph, FlowOutcome, OutcomeSum } from './flow-graph.ts';

/** Where the taken money is now, largest first. The sums add up to it, to the raw unit. */
export const sumOutcomes = ({
  ends,
  rests,
  coverage,
}: Pick<FlowGraph, 'ends' | 'rests' | 'coverage'>): readonly OutcomeSum[] => {
  const sums = new Map<FlowOutcome, bigint>();
  for (const { reason, amountRaw, positionRaw } of ends) {
    // These are in `rests` and in the frontier.
    if (reason === 'at_rest' || reason === 'no_data') continue;
    addRaw(sums, reason, amountRaw - positionRaw);
    addRaw(sums, 'position', positionRaw);
  }
  for (const { amountRaw, fate } of rests)
    for (const part of divideRest(amountRaw, fate)) addRaw(sums, part.outcome, part.amountRaw);
  addRaw(sums, 'frontier', coverage.frontierRaw);
  return [...sums]
    .map(([outcome, amountRaw]) => ({ outcome, amountRaw }))
    .filter(({ amountRaw }) => amountRaw > 0n)
    .sort((a, b) => largestFirst(a, b) || (a.outcome < b.outcome ? -1 : 1));
};
