import { expect, onTestFinished, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { openCodec } from '../../platform/avro/codec.ts';
import { LogClosedError } from '../../platform/event-log/event-log.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { ForkingChain } from '../../testing/nodes/forking-chain.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { BlockSource } from '../nodes/block-source.ts';
import { SourceError } from '../nodes/source-error.ts';
import { FinishedRanges, type RangeIngested } from './finished-ranges.ts';
import { ingestRange, type RangeOptions } from './ingest-range.ts';

const NEVER = new AbortController().signal;

const grown = (count: number): ForkingChain => {
  const chain = new ForkingChain();
  chain.grow(...Array<number>(count).fill(1));
  return chain;
};

/** An empty log for the blocks of a source; `stored` is each step that is in it. */
const open = async (source: BlockSource) => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 4 << 20 });
  onTestFinished(() => store.close());
  const codec = await openCodec<RangeIngested>(store.registry, 'RangeIngested');
  const reread = () => FinishedRanges.read(store.log, codec, () => {});
  const finished = await reread();
  const stored: number[][] = [];
  const options: RangeOptions = {
    ...{ source, log: store.log, encode: store.encodeBlock, finished, parallel: 4 },
    events: {
      stored: ({ first, last, blocks }) => stored.push([first, last, blocks]),
      problem: () => {},
      waiting: () => {},
    },
  };
  return { options, stored, reread, codec, log: store.log };
};

/** Puts a chain's blocks into a log; `refused` is told of each time that a node's answer is not taken. */
const ingest = async (chain: ForkingChain, refused: (times: number) => void) => {
  const { options, stored } = await open(chain);
  const range = { first: chain.blocks[0]?.number ?? 0, last: chain.tip.number };
  let times = 0;
  const waiting = (error: unknown): void => {
    expect(error).toMatchObject({ code: 'inconsistent' });
    refused(++times);
  };
  await ingestRange({ ...options, events: { ...options.events, waiting } }, range, NEVER);
  return { stored, times };
};

// Fifty numbers are one step: the next begins with the 51st.
test.each([
  {
    name: 'is of another branch',
    spoil: (blocks: readonly DecodedBlock[]) => {
      const other = grown(60);
      other.abandon(11);
      other.grow(...Array<number>(11).fill(1));
      return [...blocks.slice(0, 50), ...other.blocks.slice(50)];
    },
  },
  {
    name: 'is said to have been skipped',
    spoil: (blocks: readonly DecodedBlock[]) => blocks.toSpliced(50, 1),
  },
])(
  'a range waits where the first block of a step $name, however often it is asked for',
  async ({ spoil }) => {
    const chain = grown(60);
    const sound = chain.blocks;
    const first = sound[0]?.number ?? 0;
    chain.blocks = spoil(sound);
    const done = await ingest(chain, (times) => {
      if (times === 3) chain.blocks = sound;
    });
    const steps = [
      [first, first + 49, 50],
      [first + 50, first + 59, 10],
    ];
    expect(done).toEqual({ stored: steps, times: 3 });
  },
);

/** A chain and its other branch from some number on; what is below is the same. */
const forked = (count: number, own: number) => {
  const chain = grown(count);
  const sound = chain.blocks;
  chain.abandon(own);
  chain.grow(...Array<number>(own).fill(1));
  return { chain, sound, other: chain.blocks };
};

test.each([
  ['before it', 0, 5],
  ['behind it', 5, 9],
])('a range that goes on after a restart is bound to the blocks that are known %s', async (_, from, to) => {
  const { chain, sound, other } = forked(10, 8);
  chain.blocks = sound;
  const { options, stored, reread } = await open(chain);
  const numberAt = (position: number) => sound[position]?.number ?? 0;
  const known = { first: numberAt(from), last: numberAt(to) };
  await ingestRange(options, known, NEVER);
  chain.blocks = other;
  let times = 0;
  const waiting = (error: unknown): void => {
    expect(error).toMatchObject({ code: 'inconsistent' });
    if (++times === UNTIL_TOLD) chain.blocks = sound;
  };
  const again = { ...options, finished: await reread(), events: { ...options.events, waiting } };
  await ingestRange(again, { first: numberAt(0), last: numberAt(9) }, NEVER);
  const rest = from === 0 ? [numberAt(6), numberAt(9), 4] : [numberAt(0), numberAt(4), 5];
  expect({ stored, times }).toEqual({
    stored: [[known.first, known.last, to - from + 1], rest],
    times: UNTIL_TOLD,
  });
});

const UNTIL_TOLD = 3;

test.each([
  ['that the node says it is past ends, and says which', 1, 'no node has block'],
  ['that the node has not come to is waited for', 0, null],
])('a range with a block %s', async (_, headBeyond, reason) => {
  const chain = grown(3);
  const last = chain.tip.number + 1;
  let isUnsure = true;
  const lacking: BlockSource = {
    chain: 'solana',
    head: async () => chain.tip.number + headBeyond,
    fetch: async (number) => {
      const fetched = await chain.fetch(number);
      if (fetched.status !== 'not_yet' || !isUnsure) return fetched;
      isUnsure = false;
      return { ...fetched, isUnsure: true };
    },
  };
  const { options, stored } = await open(lacking);
  let waits = 0;
  const waiting = (error: unknown): void => {
    expect(error).toMatchObject({ code: 'block_unavailable', transient: true });
    if (++waits === UNTIL_TOLD && reason === null) chain.grow(1);
  };
  const range = { first: chain.blocks[0]?.number ?? 0, last };
  const done = ingestRange({ ...options, events: { ...options.events, waiting } }, range, NEVER);
  if (reason === null) await done;
  else await expect(done).rejects.toMatchObject({ code: 'block_unavailable', message: `${reason} ${last}` });
  expect(stored).toEqual(reason === null ? [[range.first, last, 4]] : []);
  // Six tries, and one at which a node that may have had it was away.
  if (reason !== null) expect(waits).toBe(6 + 1);
});

test('what a node fails at for now is given up after so many tries where somebody says how many', async () => {
  const chain = grown(1);
  let asked = 0;
  const away: BlockSource = {
    chain: 'solana',
    head: () => chain.head(),
    fetch: async () => {
      asked += 1;
      throw new SourceError('unreachable', 'no answer', { transient: true });
    },
  };
  const { options } = await open(away);
  const range = { first: chain.tip.number, last: chain.tip.number };
  const done = ingestRange({ ...options, triesMax: 2 }, range, NEVER);
  await expect(done).rejects.toMatchObject({ code: 'unreachable', message: 'no answer' });
  expect(asked).toBe(2);
});

test('a range ends where its log takes nothing from it any more', async () => {
  const chain = grown(1);
  const { options } = await open(chain);
  const append = (): Promise<never> => Promise.reject(new LogClosedError());
  const range = { first: chain.tip.number, last: chain.tip.number };
  const done = ingestRange({ ...options, log: { ...options.log, append } }, range, NEVER);
  await expect(done).rejects.toBeInstanceOf(LogClosedError);
});

test('a note of a range that nobody can read is passed over and said, and the others are known', async () => {
  const chain = grown(4);
  const { options, stored, log, codec } = await open(chain);
  const range = { first: chain.blocks[0]?.number ?? 0, last: chain.tip.number };
  await log.append([{ topic: 'ingest.ranges', key: 'solana', value: Buffer.from('no note of ours') }]);
  await ingestRange(options, range, NEVER);
  const passed: string[] = [];
  const finished = await FinishedRanges.read(log, codec, ({ message }) => passed.push(message));
  await ingestRange({ ...options, finished }, range, NEVER);
  expect(stored).toEqual([[range.first, range.last, 4]]);
  expect(passed).toEqual([expect.stringMatching(/^record 0 of ingest\.ranges\/\d+ is passed over: /)]);
});
