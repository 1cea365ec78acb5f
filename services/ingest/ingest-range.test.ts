import { expect, onTestFinished, test } from 'vitest';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { openCodec } from '../platform/avro/codec.ts';
import { openStore } from '../roles/store/open-store.ts';
import { ForkingChain } from '../testing/nodes/forking-chain.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { FinishedRanges, type RangeIngested } from './finished-ranges.ts';
import { ingestRange } from './ingest-range.ts';

const grown = (count: number): ForkingChain => {
  const chain = new ForkingChain();
  chain.grow(...Array<number>(count).fill(1));
  return chain;
};

/** Puts a chain's blocks into a log; `refused` is told of each time that a node's answer is not taken. */
const ingest = async (chain: ForkingChain, refused: (times: number) => void) => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 4 << 20 });
  onTestFinished(() => store.close());
  const codec = await openCodec<RangeIngested>(store.registry, 'RangeIngested');
  const finished = await FinishedRanges.read(store.log, codec);
  const stored: number[][] = [];
  const range = { first: chain.blocks[0]?.number ?? 0, last: chain.tip.number };
  let times = 0;
  const waiting = (error: unknown): void => {
    expect(error).toMatchObject({ code: 'inconsistent' });
    refused(++times);
  };
  await ingestRange(
    {
      ...{ source: chain, log: store.log, encode: store.encodeBlock, finished, parallel: 4 },
      events: {
        stored: ({ first, last, blocks }) => stored.push([first, last, blocks]),
        problem: () => {},
        waiting,
      },
    },
    range,
    new AbortController().signal,
  );
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
