import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { findChain } from '../model/chain.ts';
import { NO_HISTORIES } from '../model/histories.ts';
import { follow } from './follow.ts';
import { PAGE_SIZES, type PageSizes } from './gather-outgoing.ts';
import type { Arrival } from './outgoing.ts';
import { TIME_BUDGET_MS } from './rules.ts';
import { createOutgoingTaker } from './take-outgoing.ts';

const solana = findChain('solana');
if (solana === null) throw new Error('no solana');
const anything = {
  ...{ chain: solana, family: 'native', atUnixSeconds: null, amount: null },
  ...{ counterparty: null, backward: false },
};
const clock = { nowUnixMs: () => 0 };
const signal = new AbortController().signal;

const WALLETS = ['ann', 'bea', 'cyd', 'dot', 'eve', 'fay'] as const;
const wallet = fc.constantFrom(...WALLETS);
const amount = fc.bigInt({ min: 0n, max: 1_000n });
// Few times, so that many transactions share a block and a second.
const step: fc.Arbitrary<StoryStep> = fc.record({
  time: fc.integer({ min: 1, max: 6 }),
  moves: fc.array(
    fc
      .record({ from: wallet, to: wallet, amountRaw: amount })
      .map(({ from, to, amountRaw }) => move(from, to, amountRaw)),
    { minLength: 1, maxLength: 4 },
  ),
  swaps: fc.array(
    fc.record({ owner: wallet, gaveRaw: amount }).map((swap) => ({
      ...swap,
      gaveAsset: 'native',
      gotAsset: 'mint',
      gotRaw: 1n,
      through: null,
    })),
    { maxLength: 1 },
  ),
});
const story = fc.array(step, { minLength: 1, maxLength: 25 });

const trailOf = (blocks: ReturnType<typeof tellStory>, pages: PageSizes = PAGE_SIZES) =>
  follow(
    { ...anything, start: 'ann', maxHops: 4 },
    {
      reader: createMemoryReader(blocks),
      prices: createMemoryPriceReader(),
      assets: createMemoryAssetReader(),
      histories: NO_HISTORIES,
      clock,
      signal,
    },
    { budgetMs: TIME_BUDGET_MS, pages },
  );

test('a trail is connected, leaves each wallet once, and every share lies within 0 and 1', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const { hops, end, start } = await trailOf(tellStory('solana', steps));
      const left = hops.map(({ from }) => from);
      expect(new Set(left).size).toBe(left.length);
      expect(hops.map(({ to }) => to)).toEqual([...left.slice(1), ...(hops.length > 0 ? [end.address] : [])]);
      expect(left[0] ?? end.address).toBe(start);
      const passed = hops.flatMap(({ through }) => through.map(({ address }) => address));
      if (end.reason === 'loop') expect([...left, ...passed]).toContain(end.address);
      else expect(left).not.toContain(end.address);
      for (const { share } of hops) {
        expect(share).toBeGreaterThan(0);
        expect(share).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('a hop carries no more than really moved to its wallet from the one before it or the contract between', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const { hops } = await trailOf(tellStory('solana', steps));
      for (const { from, through, to, amountRaw } of hops) {
        const payers = [from, through.at(-1)?.address ?? from];
        const moved = steps
          .flatMap(({ moves = [] }) => moves)
          .filter((movement) => payers.includes(movement.from ?? '') && movement.to === to)
          .reduce((sum, movement) => sum + movement.amountRaw, 0n);
        expect(amountRaw <= moved).toBe(true);
        expect(amountRaw > 0n).toBe(true);
      }
    }),
  );
});

test('the sizes of later pages and the order in which rows are stored never change the answer', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.integer({ min: 1, max: 7 }), fc.integer(), async (steps, rows, seed) => {
      const blocks = tellStory('solana', steps);
      // Whose money it is, is told by the first page: its size is a rule, the others' are not.
      const firstRows = 4;
      const expected = await trailOf(blocks, { ...PAGE_SIZES, firstRows });
      const pages = { firstRows, nextRows: rows, maxRows: PAGE_SIZES.maxRows };
      const shuffle = <T>(items: readonly T[]): T[] =>
        items
          .map((item, index) => ({ item, key: Math.imul(index + 1, seed | 1) >>> 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
      const shuffled = shuffle(blocks).map((block) => ({
        ...block,
        movements: shuffle(block.movements),
        swaps: shuffle(block.swaps),
      }));
      expect(await trailOf(shuffled, pages)).toEqual(expected);
    }),
  );
});

test('what counts as gone reaches what arrived with its last outflow, never before it', () => {
  const arrivals = fc.array(
    fc.record({ blockTime: fc.integer({ min: 0, max: 9 }), amountRaw: fc.bigInt(1n, 100n) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  const outflows = fc.array(
    fc.record({ blockTime: fc.integer({ min: 0, max: 9 }), amountRaw: fc.bigInt(1n, 100n) }),
    { maxLength: 20 },
  );
  const inOrder = <T extends { blockTime: number }>(items: readonly T[]): T[] =>
    items.toSorted((a, b) => a.blockTime - b.blockTime);
  fc.assert(
    fc.property(arrivals, outflows, (arrived, left) => {
      const coming: Arrival[] = inOrder(arrived).map((item) => ({ ...item, blockNumber: 1, txIndex: 0 }));
      const taker = createOutgoingTaker({
        ...{ chain: solana, wallet: 'w', family: 'native', backward: false },
        arrivals: coming,
      });
      inOrder(left).forEach(({ blockTime, amountRaw }, step) => {
        const position = { blockTime, blockNumber: 1, txIndex: 0, step };
        taker.take({
          type: 'transfer',
          ...position,
          counterparty: `to ${step}`,
          amountRaw,
        });
      });
      let spentRaw = 0n;
      for (const { blockTime, amountRaw } of taker.outgoing) {
        const arrivedRaw = coming
          .filter((arrival) => arrival.blockTime <= blockTime)
          .reduce((sum, arrival) => sum + arrival.amountRaw, 0n);
        // Something of what had arrived by then was still there to be carried.
        expect(spentRaw < arrivedRaw).toBe(true);
        spentRaw += amountRaw;
        if (spentRaw > arrivedRaw) spentRaw = arrivedRaw;
      }
    }),
  );
});
