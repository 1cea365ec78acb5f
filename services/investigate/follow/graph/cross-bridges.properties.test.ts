import fc from 'fast-check';
import { expect, test } from 'vitest';
import { followWith } from '../../../testing/ask-follow.ts';
import { startAt, toFlowRequest } from '../../../testing/ask-graph.ts';
import { type Crossing, move, type StoryStep, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import { findChain } from '../../model/chain.ts';
import type { Label } from '../../model/label.ts';
import { followGraph } from './follow-graph.ts';

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const onBase = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const GATES = ['0xgate', '0xhatch'] as const;
const labels = new Map<string, Label>(GATES.map((gate) => [gate, { name: 'Gate', kind: 'bridge' }]));
const wallet = fc.constantFrom('0xann', '0xbea', '0xcyd', '0xdot', '0xeve');
const payment = fc.record({
  from: wallet,
  to: fc.oneof(wallet, fc.constantFrom(...GATES)),
  amountRaw: fc.oneof(fc.bigInt({ min: 900n, max: 4_100n }), fc.constantFrom(1_000n, 2_000n)),
  /** How many crossings it is; 0: the bridge reports none, and only its payout is known. */
  parts: fc.integer({ min: 0, max: 3 }),
  isNamed: fc.boolean(),
  isPaidOut: fc.boolean(),
});
const story = fc.array(fc.array(payment, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 15 });

type Payment = typeof payment extends fc.Arbitrary<infer Value> ? Value : never;

const tell = (transactions: readonly (readonly Payment[])[]) => {
  const far: StoryStep[] = [];
  const near = transactions.map((payments, at): StoryStep => {
    const crossings = payments.flatMap(({ from, to, amountRaw, parts, isNamed, isPaidOut }, place) => {
      if (!labels.has(to)) return [];
      const outs = (of: bigint) => [move(null, from, (of * 99n) / 100n, { asset: onBase, kind: 'mint' })];
      if (parts === 0) far.push({ time: 1_000 + at, moves: outs(amountRaw) });
      return Array.from({ length: parts }, (_, part): Crossing => {
        const partRaw = amountRaw / BigInt(parts);
        const both = { ...({ bridge: 'across', messageId: `1:${at}${place}${part}` } as const), to: from };
        const out = { ...both, side: 'delivery', farChain: 'ethereum', asset: onBase } as const;
        if (isPaidOut)
          far.push({
            ...{ time: 1_000 + at, moves: outs(partRaw) },
            crossings: [{ ...out, from: null, amountRaw: (partRaw * 99n) / 100n }],
          });
        const named = { from: isNamed ? from : null, asset: usdc, amountRaw: partRaw };
        return { ...both, ...named, side: 'deposit', farChain: 'base' };
      });
    });
    const moves = payments.map(({ from, to, amountRaw }) => move(from, to, amountRaw, { asset: usdc }));
    return { time: 100 + at, moves, crossings };
  });
  return [...tellStory('ethereum', near), ...tellStory('base', far)];
};

test('no end says that more came out than reached it, whatever the order of the starts', async () => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('no ethereum');
  await fc.assert(
    fc.asyncProperty(story, async (transactions) => {
      const reader = createMemoryReader(tell(transactions), { labels });
      const ask = (...starts: readonly string[]) =>
        followGraph(
          toFlowRequest({ chain, canonicalAsset: usdc, starts: starts.map(startAt) }),
          followWith(reader),
        );
      const { ends } = await ask('0xann', '0xbea');
      for (const { amountRaw, crossings } of ends) {
        const sumRaw = crossings.reduce((sum, { tracedRaw }) => sum + tracedRaw, 0n);
        expect(sumRaw).toBeLessThanOrEqual(amountRaw);
        for (const side of crossings) expect(side.tracedRaw).toBeLessThanOrEqual(side.amountRaw);
      }
      expect((await ask('0xbea', '0xann')).ends).toEqual(ends);
    }),
    { numRuns: 200 },
  );
});
