import { describe, expect, test } from 'vitest';
import { followWith } from '../../../testing/ask-follow.ts';
import { startAt, toFlowRequest } from '../../../testing/ask-graph.ts';
import { type Crossing, move, type StoryStep, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import { sumOf } from '../../model/amount.ts';
import { findChain } from '../../model/chain.ts';
import type { Label } from '../../model/label.ts';
import { CROSSINGS_MAX } from '../rules.ts';
import type { FlowRequest } from './flow-graph.ts';
import { followGraph } from './follow-graph.ts';

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const onBase = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const labels = new Map<string, Label>(
  ['0xgate', '0xhatch'].map((address) => [address, { name: 'Gate', kind: 'bridge' }]),
);
const pay = (from: string, to: string, amountRaw: bigint) => move(from, to, amountRaw, { asset: usdc });
const crossing = (side: Crossing['side'], id: number, who: string, amountRaw: bigint): Crossing => ({
  ...{ bridge: 'across', side, messageId: `1:${id}`, from: who, to: who, amountRaw },
  ...(side === 'deposit' ? { farChain: 'base', asset: usdc } : { farChain: 'ethereum', asset: onBase }),
});
/** A wallet bridges money, of which a hundredth stays with the bridge. */
const cross = (id: number, who: string, amountRaw: bigint) => {
  const outRaw = (amountRaw * 99n) / 100n;
  return {
    near: {
      ...{ time: 100 + id, moves: [pay(who, '0xgate', amountRaw)] },
      crossings: [crossing('deposit', id, who, amountRaw)],
    },
    far: {
      ...{ time: 200 + id, hash: `far-${id}`, crossings: [crossing('delivery', id, who, outRaw)] },
      moves: [move(null, who, outRaw, { asset: onBase, kind: 'mint' })],
    },
  };
};

type Told = {
  readonly paid: readonly StoryStep[];
  readonly crossed: readonly Readonly<Record<'near' | 'far', StoryStep>>[];
};
const ask = ({ paid, crossed }: Told, more: Partial<FlowRequest> = {}) => {
  const blocks = [
    ...tellStory('ethereum', [...paid, ...crossed.map(({ near }) => near)]),
    ...tellStory(
      'base',
      crossed.map(({ far }) => far),
    ),
  ];
  const [chain, base] = [findChain('ethereum'), findChain('base')];
  if (chain === null || base === null) throw new Error('no such chain');
  const request = { chain, canonicalAsset: usdc, starts: [startAt('0xann')], ...more };
  return followGraph(toFlowRequest(request), followWith(createMemoryReader(blocks, { labels })));
};

const split = {
  paid: [
    { time: 1, moves: [pay('0xann', '0xbea', 300_000n)] },
    { time: 2, moves: [pay('0xann', '0xcyd', 700_000n)] },
  ],
  crossed: [cross(1, '0xbea', 300_000n), cross(2, '0xcyd', 700_000n)],
};

describe('where money came out of a bridge', () => {
  test('is told of every wallet that put some in, largest first', async () => {
    const { ends } = await ask(split);
    expect(ends).toMatchObject([{ reason: 'bridge', address: '0xgate', amountRaw: 1_000_000n }]);
    expect(ends[0]?.crossings).toMatchObject([
      { chain: { name: 'base' }, address: '0xcyd', amountRaw: 693_000n, tracedRaw: 693_000n, by: 'id' },
      { chain: { name: 'base' }, address: '0xbea', amountRaw: 297_000n, tracedRaw: 297_000n, by: 'id' },
    ]);
    expect(ends[0]?.crossings.map(({ signature }) => signature)).toEqual(['far-2', 'far-1']);
  });

  test('is the followed money only as far as what went in was', async () => {
    const { ends } = await ask({
      paid: [
        { time: 1, moves: [pay('0xann', '0xbea', 400_000n)] },
        { time: 2, moves: [pay('0xfay', '0xbea', 100_000n)] },
      ],
      crossed: [cross(1, '0xbea', 500_000n)],
    });
    const [end] = ends;
    const [far] = end?.crossings ?? [];
    expect(end?.amountRaw).toBeLessThanOrEqual(400_000n);
    expect(far?.amountRaw).toBe(495_000n);
    expect(far?.tracedRaw).toBe((495_000n * (end?.amountRaw ?? 0n)) / 500_000n);
  });

  test.each([
    { parts: [600_000n, 400_000n] },
    { parts: [500_000n, 500_000n] },
    { parts: [300_000n, 300_000n, 400_000n] },
  ])('is told of each crossing of one transaction: $parts', async ({ parts }) => {
    const crossed = parts.map((amountRaw, i) => cross(i, '0xbea', amountRaw));
    const near = {
      time: 100,
      moves: crossed.flatMap(({ near }) => near.moves),
      crossings: crossed.flatMap(({ near }) => near.crossings),
    };
    const { ends } = await ask({
      paid: [{ time: 1, moves: [pay('0xann', '0xbea', 1_000_000n)] }, near],
      crossed: crossed.map(({ far }) => ({ near: { time: 101 }, far })),
    });
    expect(ends).toMatchObject([{ reason: 'bridge', amountRaw: 1_000_000n }]);
    const crossings = ends[0]?.crossings ?? [];
    expect(new Set(crossings.map(({ signature }) => signature)).size).toBe(parts.length);
    expect(crossings.every(({ amountRaw, tracedRaw }) => amountRaw === tracedRaw)).toBe(true);
    expect(sumOf(crossings)).toBe(990_000n);
  });

  test('is not that of a payment to another address of the bridge in the same transaction', async () => {
    const others = [cross(1, '0xbea', 500_000n), cross(2, '0xbea', 500_000n)];
    const payout = move('0xgate', '0xbea', 1_998_000n, { asset: onBase });
    const { ends } = await ask({
      paid: [
        { time: 1, moves: [pay('0xann', '0xbea', 3_000_000n)] },
        {
          ...{ time: 100, crossings: others.flatMap(({ near }) => near.crossings) },
          moves: [pay('0xbea', '0xgate', 2_000_000n), pay('0xbea', '0xhatch', 1_000_000n)],
        },
      ],
      crossed: [
        ...others.map(({ far }) => ({ near: { time: 101 }, far })),
        { near: { time: 102 }, far: { time: 300, moves: [payout] } },
      ],
    });
    expect(ends).toMatchObject([
      { address: '0xgate', amountRaw: 2_000_000n, crossings: [{ tracedRaw: 1_998_000n }] },
      {
        ...{ address: '0xhatch', amountRaw: 1_000_000n },
        crossings: [{ tracedRaw: 495_000n }, { tracedRaw: 495_000n }],
      },
    ]);
  });

  test.each([
    { own: [333_333n, 333_333n, 333_333n], told: [] },
    { own: [1_000n], told: [{ address: '0xfay', amountRaw: 1_188_000n }] },
  ])(
    'is not told of a crossing in another name if the own ones make up the sum: $own',
    async ({ own, told }) => {
      const other = cross(9, '0xfay', 1_200_000n);
      const named = own.map((amountRaw, id) => crossing('deposit', id, '0xbea', amountRaw));
      const { ends } = await ask({
        paid: [
          { time: 1, moves: [pay('0xann', '0xbea', 999_999n)] },
          {
            ...{ time: 100, crossings: [...named, ...other.near.crossings] },
            moves: [pay('0xbea', '0xgate', 999_999n), ...other.near.moves],
          },
        ],
        crossed: [{ near: { time: 101 }, far: other.far }],
      });
      expect(ends).toMatchObject([{ reason: 'bridge', amountRaw: 999_999n, crossings: told }]);
    },
  );

  test('is told of one crossing that a transaction paid for in two ways', async () => {
    const { near, far } = cross(1, '0xbea', 1_000_000n);
    const moves = [pay('0xbea', '0xgate', 600_000n), pay('0xbea', '0xgate', 400_000n)];
    const { ends } = await ask({
      paid: [{ time: 1, moves: [pay('0xann', '0xbea', 1_000_000n)] }],
      crossed: [{ near: { ...near, moves }, far }],
    });
    expect(ends[0]?.crossings).toMatchObject([{ amountRaw: 990_000n, tracedRaw: 990_000n }]);
  });

  test('is told of two crossings that one transaction paid out alike', async () => {
    const crossed = [cross(1, '0xbea', 500_000n), cross(2, '0xbea', 500_000n)];
    const far = {
      ...{ time: 200, moves: crossed.flatMap(({ far }) => far.moves) },
      crossings: crossed.flatMap(({ far }) => far.crossings),
    };
    const { ends } = await ask({
      paid: [{ time: 1, moves: [pay('0xann', '0xbea', 1_000_000n)] }],
      crossed: crossed.map(({ near }, i) => ({ near, far: i === 0 ? far : { time: 201 } })),
    });
    expect(ends[0]?.crossings).toMatchObject([{ tracedRaw: 495_000n }, { tracedRaw: 495_000n }]);
  });

  test('is told once of a crossing that two wallets paid for, with the money of both', async () => {
    const { far } = cross(1, '0xbea', 1_000_000n);
    const { ends } = await ask({
      paid: [
        { time: 1, moves: [pay('0xann', '0xbea', 600_000n)] },
        { time: 2, moves: [pay('0xann', '0xfay', 500_000n)] },
      ],
      crossed: [
        {
          near: {
            ...{ time: 100, moves: [pay('0xbea', '0xgate', 500_000n), pay('0xfay', '0xgate', 500_000n)] },
            crossings: [crossing('deposit', 1, '0xbea', 1_000_000n)],
          },
          far,
        },
      ],
    });
    expect(ends[0]).toMatchObject({ address: '0xgate', amountRaw: 1_000_000n });
    expect(ends[0]?.crossings).toMatchObject([{ amountRaw: 990_000n, tracedRaw: 990_000n }]);
  });

  test("is nobody else's who put money into the same crossing", async () => {
    const { ends } = await ask({
      paid: [{ time: 1, moves: [pay('0xann', '0xbea', 500_000n)] }],
      crossed: [
        {
          near: {
            ...{ time: 100, moves: [pay('0xbea', '0xgate', 500_000n), pay('0xfay', '0xgate', 500_000n)] },
            crossings: [crossing('deposit', 1, '0xbea', 1_000_000n)],
          },
          far: cross(1, '0xbea', 1_000_000n).far,
        },
      ],
    });
    expect(ends).toMatchObject([{ reason: 'bridge', amountRaw: 500_000n }]);
    expect(ends[0]?.crossings).toMatchObject([{ amountRaw: 990_000n, tracedRaw: 495_000n }]);
  });

  test('is looked for within the budget of calls, of the largest payments', async () => {
    const all = await ask(split);
    // After the second crossing's two questions there is one for the hashes.
    const few = await ask(split, { budget: { calls: all.read.questions - 3, seconds: 85 } });
    expect(few.ends[0]?.crossings.map(({ address }) => address)).toEqual(['0xcyd']);
    const many = Array.from({ length: CROSSINGS_MAX + 5 }, (_, i) => ({
      who: `0xbea${i}`,
      amountRaw: BigInt(1_000_000 + i),
    }));
    const { ends } = await ask({
      paid: many.map(({ who, amountRaw }, i) => ({ time: 1 + i, moves: [pay('0xann', who, amountRaw)] })),
      crossed: many.map(({ who, amountRaw }, i) => cross(i, who, amountRaw)),
    });
    const largest = many.toReversed().slice(0, CROSSINGS_MAX);
    expect(ends[0]?.crossings.map(({ address }) => address)).toEqual(largest.map(({ who }) => who));
  });

  test('is told once, where it fits two payments alike', async () => {
    const near = [101, 102].map((time) => ({ time, moves: [pay('0xbea', '0xgate', 500_000n)] }));
    const payout = move('0xgate', '0xbea', 499_500n, { asset: onBase });
    const { ends } = await ask({
      paid: [{ time: 1, moves: [pay('0xann', '0xbea', 1_000_000n)] }, ...near],
      crossed: [{ near: { time: 150 }, far: { time: 200, hash: 'far', moves: [payout] } }],
    });
    expect(ends).toMatchObject([{ reason: 'bridge', amountRaw: 1_000_000n }]);
    expect(ends[0]?.crossings).toMatchObject([{ signature: 'far', by: 'beneficiary' }]);
  });

  test('is not told where nothing that came out is known, and the end stays', async () => {
    const { ends } = await ask({
      ...split,
      crossed: split.crossed.map(({ near, far }) => ({ near, far: { ...far, crossings: [], moves: [] } })),
    });
    expect(ends).toMatchObject([{ reason: 'bridge', amountRaw: 1_000_000n, crossings: [] }]);
  });
});
