import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEvmSource } from '../../ingest/evm/fetch-evm-block.ts';
import type { BlockSource } from '../../ingest/nodes/block-source.ts';
import { createSolanaSource } from '../../ingest/solana/nodes/fetch-solana-block.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { startAnvil } from '../../testing/evm/start-anvil.ts';
import { followChain, readStanding, untilHeld } from '../../testing/follow-chain.ts';
import { startBranchingNode } from '../../testing/nodes/branching-solana-node.ts';
import { ForkingChain } from '../../testing/nodes/forking-chain.ts';
import { range, SinkStage } from '../../testing/sink-stage.ts';
import { fingerprintTables } from '../../warehouse/fingerprint.ts';

const stage = new SinkStage();

type Turn =
  | { readonly type: 'grow'; readonly steps: readonly number[] }
  | { readonly type: 'fork'; readonly depth: number }
  /** The branch that was abandoned last is the chain again. */
  | { readonly type: 'return' }
  | { readonly type: 'restart' };

const turns = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('grow' as const),
      steps: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
    }),
    fc.record({ type: fc.constant('fork' as const), depth: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ type: fc.constant('return' as const) }),
    fc.record({ type: fc.constant('restart' as const) }),
  ),
  { minLength: 2, maxLength: 8 },
);

/** Plays what a chain did to a follower that sees the outcome of each turn. */
const play = async (chain: ForkingChain, story: readonly Turn[]): Promise<void> => {
  let following = followChain(stage.store, chain);
  let abandoned = chain.blocks;
  for (const turn of story) {
    const before = chain.blocks;
    const newest = chain.tip.number;
    if (turn.type === 'grow') chain.grow(...turn.steps);
    if (turn.type === 'fork') chain.abandon(turn.depth);
    if (turn.type === 'return') chain.blocks = abandoned;
    if (turn.type === 'fork' || turn.type === 'return') abandoned = before;
    if (turn.type === 'restart') {
      await following.stop();
      following = followChain(stage.store, chain);
    }
    // A branch is noticed by the first block above those that are held.
    while (chain.blocks.length === 0 || chain.tip.number <= newest) chain.grow(1);
    await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following });
  }
  await following.stop();
};

describe('whatever a chain abandons', () => {
  test('the log ends with the blocks of the chain, and the tables show them and nothing else', async () => {
    let stories = 0;
    await fc.assert(
      fc
        .asyncProperty(turns, async (story) => {
          const chain = new ForkingChain();
          chain.grow(1, 1, 1, 1);
          const running = stage.sink();
          await play(chain, story);
          const standing = await readStanding(stage.store, 'solana');
          expect(standing.map(({ hash }) => hash)).toEqual(chain.blocks.map(({ hash }) => hash));
          await stage.untilStored(running);
          await running.stop();
          await stage.expectTables(chain.blocks);
          stories += 1;
        })
        .afterEach(() => stage.renew()),
      { numRuns: 8 },
    );
    expect(stories).toBe(8);
  });

  test('tables filled again from the log show the same as those that saw it happen', async () => {
    const chain = new ForkingChain();
    chain.grow(1, 1, 2, 1, 1);
    const running = stage.sink();
    await play(chain, [
      { type: 'fork', depth: 3 },
      { type: 'return' },
      { type: 'restart' },
      { type: 'fork', depth: 1 },
      { type: 'grow', steps: [3, 1] },
    ]);
    await stage.untilStored(running);
    await running.stop();
    const seen = await fingerprintTables(stage.warehouse.writer);
    await stage.refill();
    expect(await fingerprintTables(stage.warehouse.writer)).toEqual(seen);
    await stage.expectTables(chain.blocks);
  });
});

test('a chain that abandons more than it may is not followed any more, and nothing is taken back', async () => {
  const chain = new ForkingChain();
  chain.grow(...Array<number>(12).fill(1));
  const following = followChain(stage.store, chain, { reorgDepthMax: 4 });
  await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following });
  const held = chain.blocks;
  chain.abandon(6);
  chain.grow(...Array<number>(8).fill(1));
  await expect(following.ended).rejects.toMatchObject({ code: 'reorg_too_deep' });
  const standing = await readStanding(stage.store, 'solana');
  expect(standing.map(({ hash }) => hash)).toEqual(held.map(({ hash }) => hash));
});

test('a follower that ended between the retractions and what follows them goes on from there', async () => {
  const chain = new ForkingChain();
  chain.grow(1, 1, 1, 1, 1);
  const first = followChain(stage.store, chain);
  await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following: first });
  await first.stop();
  // As an engine would leave it that cannot append all or nothing.
  const [newest] = (await readStanding(stage.store, 'solana')).slice(-1);
  const { number: blockNumber = 0, hash: blockHash = '', offsets = [] } = newest ?? {};
  const value = stage.store.encodeRetraction({ chain: 'solana', blockNumber, blockHash, offsets });
  await stage.append([value], 0, 'transfers.head');
  chain.abandon(3);
  chain.grow(1, 1, 1, 1);
  const second = followChain(stage.store, chain);
  await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following: second });
  await second.stop();
  await stage.drain();
  await stage.expectTables(chain.blocks);
});

test('a slot that was skipped on one branch and has its block on the other is not missed', async () => {
  const chain = new ForkingChain();
  chain.grow(1, 1, 1);
  const full = chain.blocks;
  chain.abandon(1);
  // 103 is skipped, and nothing tells what follows it.
  chain.fetch = async (number) =>
    number > 103
      ? { status: 'not_yet' }
      : number === 103
        ? { status: 'skipped' }
        : ForkingChain.prototype.fetch.call(chain, number);
  chain.head = async () => 104;
  const following = followChain(stage.store, chain);
  await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following });
  chain.blocks = full;
  chain.grow(1);
  Reflect.deleteProperty(chain, 'fetch');
  await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following });
  await following.stop();
  const standing = await readStanding(stage.store, 'solana');
  expect(standing.map(({ number }) => number)).toEqual([101, 102, 103, 104]);
});

/** Nobody can read it, and the sink sets it aside. */
const appendPoison = () => stage.append([Buffer.from('no record of ours')], 0, 'transfers.head');

test('a record that nobody can read does not keep a follower from starting behind it, nor a reorg from reaching past it', async () => {
  const chain = new ForkingChain();
  chain.grow(1, 1, 1, 1);
  const first = followChain(stage.store, chain);
  await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following: first });
  await first.stop();
  await appendPoison();
  const second = followChain(stage.store, chain);
  chain.grow(1);
  await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following: second });
  chain.abandon(4);
  chain.grow(1, 1, 1, 1, 1);
  await untilHeld(stage.store, { chain: 'solana', hash: chain.tip.hash, following: second });
  await second.stop();
  await stage.drain();
  await stage.expectTables(chain.blocks);
  expect((await stage.deadLetters()).map(({ source }) => source)).toEqual(['transfers.head/0/4']);
});

test('a chain’s partition that holds blocks of another chain is not followed', async () => {
  const foreign = { ...range(100, 1)[0], chain: 'base' } as DecodedBlock;
  await stage.append(stage.encoded(foreign), 0, 'transfers.head');
  const chain = new ForkingChain();
  chain.grow(1);
  await expect(followChain(stage.store, chain).ended).rejects.toMatchObject({ code: 'foreign_event' });
});

/** What tables show that saw nothing of a chain but how it is now. */
const fingerprintAnew = async (
  source: BlockSource,
  tip: { chain: string; hash: string },
  firstBlock: number,
) => {
  await stage.renew();
  const following = followChain(stage.store, source, { firstBlock });
  await untilHeld(stage.store, { ...tip, following });
  await following.stop();
  await stage.drain();
  return fingerprintTables(stage.warehouse.writer);
};

test('what a real EVM node reorganises is taken back, and the tables are those of a store that never saw it', async () => {
  const node = await startAnvil();
  const [from, to] = await node.accounts();
  const pay = async (...wei: bigint[]): Promise<void> => {
    for (const value of wei) await node.send({ from, to, value });
  };
  const tip = async () => {
    const { hash } = (await node.ask('eth_getBlockByNumber', 'latest', false)) as { hash: string };
    return { chain: 'ethereum', hash };
  };
  const source = createEvmSource({ chain: 'ethereum', url: node.url });
  await pay(1n, 2n, 3n, 4n);
  const abandoned = await tip();
  const following = followChain(stage.store, source, { firstBlock: 1 });
  await untilHeld(stage.store, { ...abandoned, following });
  await node.ask('anvil_reorg', 3, []);
  await pay(5n, 6n);
  expect(Number(await node.ask('eth_blockNumber'))).toBe(6);
  const now = await tip();
  await untilHeld(stage.store, { ...now, following });
  await following.stop();
  const standing = await readStanding(stage.store, 'ethereum');
  expect(standing.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(standing.map(({ hash }) => hash)).not.toContain(abandoned.hash);
  await stage.drain();
  const seen = await fingerprintTables(stage.warehouse.writer);
  expect(seen.find(({ table }) => table === 'blocks')?.rows).toBe(6);
  expect(await fingerprintAnew(source, now, 1)).toEqual(seen);
});

test('a Solana node that changes its mind twice leaves the tables of a store that never saw it', async () => {
  const node = await startBranchingNode({ seed: 5, people: 8, days: 1, blockSeconds: 1_800 });
  const source = createSolanaSource({ chain: 'solana', url: node.url, commitment: 'confirmed' });
  const { firstSlot: firstBlock } = node;
  let tip = { chain: 'solana', hash: node.follow(10) };
  const following = followChain(stage.store, source, { firstBlock });
  const turns = [() => node.fork(5, 13), () => node.follow(16), () => node.fork(14, 20)];
  await untilHeld(stage.store, { ...tip, following });
  for (const turn of turns) {
    tip = { chain: 'solana', hash: turn() };
    await untilHeld(stage.store, { ...tip, following });
  }
  await following.stop();
  // Without the slot that the last branch skipped.
  expect(await readStanding(stage.store, 'solana')).toHaveLength(20);
  await stage.drain();
  const seen = await fingerprintTables(stage.warehouse.writer);
  expect(await fingerprintAnew(source, tip, firstBlock)).toEqual(seen);
});
