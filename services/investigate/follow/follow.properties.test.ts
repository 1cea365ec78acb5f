import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { sumOf, toWholeUnits } from '../model/amount.ts';
import { NO_BACKFILLS } from '../model/backfills.ts';
import { findChain } from '../model/chain.ts';
import { ReadFailedError, type TransferReader } from '../model/transfer-reader.ts';
import { FORWARD } from './direction.ts';
import { follow } from './follow.ts';
import { createFifoAllocator } from './payments/allocate-outflows.ts';
import { type Inflow, paidIn } from './payments/inflow.ts';
import { PAGE_SIZES, type PageSizes, TIME_BUDGET_MS } from './rules.ts';
import { branchesOf, type FollowRequest } from './trail.ts';

const solana = findChain('solana');
if (solana === null) throw new Error('no solana');
const anything = {
  ...{ chain: solana, canonicalAsset: 'native', atUnixSeconds: null, amount: null },
  ...{ tracedRaw: null, counterparty: null, backward: false },
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

type Asked = Partial<FollowRequest> & { readonly pages?: PageSizes };

const trailOf = (
  blocks: ReturnType<typeof tellStory>,
  { pages = PAGE_SIZES, ...question }: Asked = {},
  other: Partial<TransferReader> = {},
) =>
  follow(
    { ...anything, start: 'ann', maxHops: 4, ...question },
    {
      reader: { ...createMemoryReader(blocks), ...other },
      prices: createMemoryPriceReader(),
      assets: createMemoryAssetReader(),
      backfills: NO_BACKFILLS,
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

/** Many payments to a transaction, as contracts make them: ways join, part and go round within it. */
const crowded = fc.array(
  fc.record({
    time: fc.integer({ min: 1, max: 6 }),
    moves: fc.array(
      fc
        .record({ from: wallet, to: wallet, amountRaw: fc.oneof(amount, fc.constantFrom(98n, 99n, 100n)) })
        .map(({ from, to, amountRaw }) => move(from, to, amountRaw)),
      { minLength: 1, maxLength: 10 },
    ),
  }),
  { minLength: 1, maxLength: 14 },
);

test.each([false, true])(
  'no hop or branch carries more than really moved to its wallet from those who paid it (backward: %s)',
  async (backward) => {
    const met: Partial<Record<string, number>> = {};
    await fc.assert(
      fc.asyncProperty(crowded, async (steps) => {
        const { hops, end } = await trailOf(tellStory('solana', steps), { backward });
        const movedRaw = (payers: readonly string[], payee: string): bigint =>
          steps
            .flatMap(({ moves }) => moves)
            .map(({ from, to, amountRaw }) =>
              backward ? { from: to, to: from, amountRaw } : { from, to, amountRaw },
            )
            .filter(({ from, to }) => payers.includes(from ?? '') && to === payee)
            .reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
        for (const { from, through, to, amountRaw, others } of hops) {
          const payers = [from, ...through.map(({ address }) => address)];
          expect(amountRaw > 0n).toBe(true);
          // What a branch carries to the hop's own wallet is no part of the hop.
          const besideRaw = sumOf(others.filter((other) => payers.includes(other.from) && other.to === to));
          expect(amountRaw + besideRaw <= movedRaw(payers, to)).toBe(true);
        }
        for (const branches of [...hops.map(({ others }) => others), branchesOf(end)]) {
          for (const { from, to, amountRaw } of branches) {
            expect(amountRaw > 0n).toBe(true);
            const same = branches.filter((other) => other.from === from && other.to === to);
            expect(sumOf(same) <= movedRaw([from], to)).toBe(true);
          }
        }
        met[end.reason] = (met[end.reason] ?? 0) + branchesOf(end).length;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(met.split ?? 0, met.at_rest ?? 0)).toBeGreaterThan(0);
  },
);

test('the order of rows within a transaction decides nothing', async () => {
  await fc.assert(
    fc.asyncProperty(crowded, fc.boolean(), async (steps, backward) => {
      const turned = steps.map((step) => ({ ...step, moves: step.moves.toReversed() }));
      const [trail, other] = await Promise.all(
        [steps, turned].map((story) => trailOf(tellStory('solana', story), { backward })),
      );
      expect(other).toEqual(trail);
    }),
    { numRuns: 300 },
  );
});

test('a hop that is sent back goes on as its trail does', async () => {
  const payments = fc.array(fc.record({ from: wallet, to: wallet, amountRaw: amount }), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(payments, fc.boolean(), async (paid, backward) => {
      const steps = paid.map(({ from, to, amountRaw }, time) => ({
        time,
        moves: [move(from, to, amountRaw)],
      }));
      const blocks = tellStory('solana', steps);
      // More than there are wallets.
      const asked = { backward, maxHops: 10 };
      const { hops, end } = await trailOf(blocks, asked);
      for (const [at, { from, to, sinceUnixSeconds, amountRaw, tracedRaw }] of hops.entries()) {
        const said = { atUnixSeconds: sinceUnixSeconds, amount: toWholeUnits(amountRaw, 9), tracedRaw };
        const rest = hops.slice(at + 1);
        const isComplete = end.reason !== 'loop' || rest.some((hop) => hop.from === end.address);
        // Whoever goes on from the middle does not know who was before it on the way.
        if (!isComplete && rest.length === 0) continue;
        const onward = await trailOf(blocks, { ...asked, start: to, counterparty: from, ...said });
        if (isComplete) expect(onward.end).toEqual(end);
        const found = isComplete ? onward.hops : onward.hops.slice(0, rest.length);
        expect(found).toEqual(rest);
      }
    }),
    { numRuns: 300 },
  );
});

test('the sizes of later pages and the order in which rows are stored never change the answer', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.integer({ min: 1, max: 7 }), fc.integer(), async (steps, rows, seed) => {
      const blocks = tellStory('solana', steps);
      // Whose money it is, is told by the first page: its size is a rule, the others' are not.
      const firstRows = 4;
      const expected = await trailOf(blocks, { pages: { ...PAGE_SIZES, firstRows } });
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
      expect(await trailOf(shuffled, { pages })).toEqual(expected);
    }),
  );
});

test('of a transaction in which a page ends the larger payments still come first', async () => {
  const blocks = tellStory('solana', [
    { time: 1, moves: [move('ann', 'bea', 11n)] },
    { time: 2, moves: [move('bea', 'eve', 1n)] },
    { time: 3, moves: [move('bea', 'cyd', 8n), move('bea', 'dot', 9n)] },
  ]);
  const pages = { firstRows: 1, nextRows: 1, maxRows: 100 };
  const { hops } = await trailOf(blocks, { pages });
  expect(hops.map(({ to }) => to)).toEqual(['bea', 'dot']);
  expect(await trailOf(blocks, { pages: { ...pages, nextRows: 10 } })).toMatchObject({ hops });
});

const SECONDS_APART = 3;
/** What else a wallet of the trail does: a swap or a payment of much or little, before, between or after. */
const aside: fc.Arbitrary<StoryStep> = fc
  .record({
    time: fc.integer({ min: 1, max: SECONDS_APART * WALLETS.length }),
    owner: fc.constantFrom('bea', 'cyd'),
    amountRaw: fc.constantFrom(1n, 7n, 500n, 999n, 1_000n),
    // What was burnt for something else never left as a payment.
    as: fc.constantFrom('payment', 'sale', 'burn'),
  })
  .map(({ time, owner, amountRaw, as }) => {
    const bought = { gaveAsset: 'native', gaveRaw: amountRaw, gotAsset: 'mint', gotRaw: 1n, through: 'pool' };
    const swaps = as === 'payment' ? [] : [{ owner, ...bought }];
    return { time, moves: as === 'burn' ? [] : [move(owner, 'pool', amountRaw)], swaps };
  });
/** From wallet to wallet, each passing on all, or all but a fee. */
const passage = fc
  .tuple(
    fc.array(fc.constantFrom(0n, 1n, 15n), { minLength: 5, maxLength: 5 }),
    fc.array(aside, { maxLength: 4 }),
  )
  .map(([fees, asides]) => {
    let amountRaw = 1_000n;
    const passed = fees.map((fee, at): StoryStep => {
      amountRaw -= fee;
      const moves = [move(WALLETS[at] ?? null, WALLETS[at + 1] ?? null, amountRaw)];
      return { time: 2 + SECONDS_APART * at, moves };
    });
    return [...passed, ...asides];
  });

test('a trail is the same whether wallets are asked for their swaps one by one or afterwards, all at once', async () => {
  const met = { none: 0, some: 0 };
  await fc.assert(
    fc.asyncProperty(passage, fc.constantFrom(1, 2, 1_000), async (steps, firstRows) => {
      const blocks = tellStory('solana', steps);
      const pages = { ...PAGE_SIZES, firstRows };
      const reader = createMemoryReader(blocks);
      const trail = await trailOf(
        blocks,
        { pages },
        {
          swappers: async (request) => {
            const swappers = await reader.swappers(request);
            met[swappers.size > 0 ? 'some' : 'none'] += 1;
            return swappers;
          },
        },
      );
      // Who cannot ask for them all at once asks one by one.
      const swappers = () => Promise.reject(new ReadFailedError('unavailable'));
      expect(trail).toEqual(await trailOf(blocks, { pages }, { swappers }));
    }),
    { numRuns: 1_000 },
  );
  expect(Math.min(met.none, met.some)).toBeGreaterThan(50);
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
      const coming: Inflow[] = inOrder(arrived).map((item) => ({ ...item, blockNumber: 1, txIndex: 0 }));
      const allocator = createFifoAllocator({
        ...{ chain: solana, wallet: 'w', canonicalAsset: 'native', direction: FORWARD },
        stake: paidIn(coming),
      });
      inOrder(left).forEach(({ blockTime, amountRaw }, step) => {
        const position = { blockTime, blockNumber: 1, txIndex: 0 };
        allocator.take({ type: 'transfer', ...position, to: `to ${step}`, amountRaw });
      });
      let spentRaw = 0n;
      for (const { blockTime, amountRaw } of allocator.outflows) {
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
