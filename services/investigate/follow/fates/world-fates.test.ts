import { expect, test } from 'vitest';
import type { TruthLine } from '../../../demo-world/truth.ts';
import { worldBlocks } from '../../../demo-world/world-blocks.ts';
import { followWith } from '../../../testing/ask-follow.ts';
import { toFlowRequest } from '../../../testing/ask-graph.ts';
import { createMemoryControlReader } from '../../../testing/memory/memory-control-reader.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import { findChain } from '../../model/chain.ts';
import { followGraph } from '../graph/follow-graph.ts';

test('of every theft of the generated world the flow tells what became of the money, to the last unit', async () => {
  const truth: TruthLine[] = [];
  const options = { seed: 7, people: 4, days: 7, fates: true };
  const blocks = [...worldBlocks(options, (line) => truth.push(line))];
  const control = createMemoryControlReader(blocks);
  const reading = { ...followWith(createMemoryReader(blocks)), control };
  const fates = truth.filter((line) => line.type === 'fate');
  for (const { chain: name, asset, start, victim, outcomes } of fates) {
    const chain = findChain(name);
    if (chain === null) throw new Error(name);
    const starts = [{ start, counterparty: victim, atUnixSeconds: null, amount: null }];
    const graph = await followGraph(toFlowRequest({ chain, canonicalAsset: asset, starts }), reading);
    const told = graph.outcomes.map(({ outcome, amountRaw }) => [outcome, String(amountRaw)]);
    expect({ name, ...Object.fromEntries(told) }).toEqual({ name, ...outcomes });
  }
  const kinds = fates.map(({ chain, outcomes }) => `${chain}: ${Object.keys(outcomes).sort().join(', ')}`);
  expect(kinds.sort()).toEqual(
    ['ethereum', 'solana'].flatMap((chain) =>
      ['at_rest', 'at_rest, burned', 'at_rest, fees', 'at_rest, position', 'frozen'].map(
        (of) => `${chain}: ${of}`,
      ),
    ),
  );
});
