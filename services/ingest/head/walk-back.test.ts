import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ForkingChain } from '../../testing/nodes/forking-chain.ts';
import type { StandingBlock } from './standing-blocks.ts';
import { type WalkLimits, walkBack } from './walk-back.ts';

const LIMITS: WalkLimits = { depthMax: 64, adoptedMax: 100 };
const signal = new AbortController().signal;

const heldOf = ({ blocks }: Pick<ForkingChain, 'blocks'>): StandingBlock[] =>
  blocks.map(({ number, hash }, offset) => ({ number, hash, offsets: [offset] }));

async function* newestFirst(held: readonly StandingBlock[]): AsyncGenerator<StandingBlock> {
  yield* held.toReversed();
}

const walk = (source: ForkingChain, held: readonly StandingBlock[], limits = LIMITS) =>
  walkBack({ source, held: newestFirst(held), signal }, source.tip, limits);

const steps = (min: number) => fc.array(fc.integer({ min: 1, max: 3 }), { minLength: min, maxLength: 12 });

test('what was taken back and what takes its place make the chain, whatever was skipped on either branch', async () => {
  let deepest = 0;
  await fc.assert(
    fc.asyncProperty(steps(1), fc.nat(12), steps(1), async (before, depth, after) => {
      const chain = new ForkingChain();
      chain.grow(...before);
      const held = heldOf(chain);
      chain.abandon(depth);
      chain.grow(...after);
      const { abandoned, adopted } = await walk(chain, held);
      deepest = Math.max(deepest, abandoned.length);
      expect(abandoned).toEqual(held.toReversed().slice(0, abandoned.length));
      const kept = held.slice(0, held.length - abandoned.length);
      // Nothing is known of a chain from before the first block that was held.
      const known = chain.blocks.filter(({ number }) => number >= (held[0]?.number ?? 0));
      const newest = adopted.length === 1 && known.length === 0 ? [chain.tip] : known;
      expect([...kept, ...adopted].map(({ hash }) => hash)).toEqual(newest.map(({ hash }) => hash));
    }),
    { numRuns: 300 },
  );
  expect(deepest).toBeGreaterThan(5);
});

test('deeper than allowed nothing is taken back, and the error says where', async () => {
  const chain = new ForkingChain();
  chain.grow(...Array<number>(20).fill(1));
  const held = heldOf(chain);
  chain.abandon(8);
  chain.grow(...Array<number>(10).fill(1));
  expect((await walk(chain, held, { ...LIMITS, depthMax: 8 })).abandoned).toHaveLength(8);
  await expect(walk(chain, held, { ...LIMITS, depthMax: 7 })).rejects.toMatchObject({
    code: 'reorg_too_deep',
    message: expect.stringContaining('block 122'),
  });
});

test('numbers that were skipped count for the depth, so that what lies deeper is settled by its number', async () => {
  const chain = new ForkingChain();
  chain.grow(1, 1, 1, 50);
  const held = heldOf(chain);
  chain.abandon(2);
  chain.grow(100);
  await expect(walk(chain, held, { ...LIMITS, depthMax: 50 })).rejects.toMatchObject({
    code: 'reorg_too_deep',
  });
  expect((await walk(chain, held, { ...LIMITS, depthMax: 51 })).abandoned).toHaveLength(2);
});

test('of a long branch the oldest blocks are given, and no more are held than allowed', async () => {
  const chain = new ForkingChain();
  chain.grow(1, 1, 1, 1);
  const held = heldOf(chain);
  chain.abandon(3);
  chain.grow(...Array<number>(30).fill(1));
  const { adopted } = await walk(chain, held, { ...LIMITS, adoptedMax: 4 });
  expect(adopted).toEqual(chain.blocks.slice(1, 5));
});

test('a chain that changes again while it is followed back is asked again', async () => {
  const chain = new ForkingChain();
  chain.grow(1, 1, 1);
  const held = heldOf(chain);
  chain.abandon(2);
  chain.grow(1, 1, 1);
  const stale = chain.tip;
  chain.abandon(3);
  chain.grow(1, 1, 1);
  const walking = walkBack({ source: chain, held: newestFirst(held), signal }, stale, LIMITS);
  await expect(walking).rejects.toMatchObject({ code: 'inconsistent', transient: true });
});

test('a block that names itself or a later one as its parent is not followed round for ever', async () => {
  const chain = new ForkingChain();
  chain.grow(1, 1);
  const held = heldOf(chain);
  const liar = { ...chain.tip, parentHash: 'nobody', parentNumber: chain.tip.number };
  const walking = walkBack({ source: chain, held: newestFirst(held), signal }, liar, LIMITS);
  await expect(walking).rejects.toMatchObject({ code: 'inconsistent' });
});
