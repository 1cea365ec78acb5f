import { expect, onTestFinished, test } from 'vitest';
import { createBlockEncoder } from '../events/encode-block.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { openCodec } from '../platform/avro/codec.ts';
import { openStore } from '../roles/store/open-store.ts';
import { followChain, readStanding, untilHeld } from '../testing/follow-chain.ts';
import { ForkingChain } from '../testing/nodes/forking-chain.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { blockRecords } from './block-records.ts';
import { FinishedRanges, type RangeIngested } from './range/finished-ranges.ts';
import { ingestRange } from './range/ingest-range.ts';

const NEVER = new AbortController().signal;

type Spoil = (block: DecodedBlock) => DecodedBlock;
const withoutRoom: Spoil = (block) => {
  const authority = 'a'.repeat(1_100_000);
  return { ...block, movements: block.movements.map((movement) => ({ ...movement, authority })) };
};
/** What no decoder makes: only a mistake of the program's own. */
const withoutTransactions: Spoil = (block) => ({ ...block, transactions: [] });

/** Three blocks, of which the second can never be stored: it holds a row that no record of the log has room for. */
const stage = async ({ spoil = withoutRoom, code = 'record_too_large' } = {}) => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 4 << 20 });
  onTestFinished(() => store.close());
  const chain = new ForkingChain();
  chain.grow(1, 1, 1);
  const [first, second, third] = chain.blocks;
  if (!first || !second || !third) throw new RangeError('there are three');
  chain.blocks = [first, spoil(second), third];
  const letters = async () => {
    const at = { topic: 'dead-letters', partition: 0, offset: 0, maxBytes: 1 << 20 };
    return (await store.log.read(at)).map(({ headers }) => [headers.source, headers.reason?.split(':')[0]]);
  };
  return {
    store,
    chain,
    third,
    letter: [`solana/${second.number}/${second.hash}`, code],
    letters,
  };
};

test.each([
  ['that the log can never take', { spoil: withoutRoom, code: 'record_too_large' }],
  ['at which the program itself fails', { spoil: withoutTransactions, code: 'internal' }],
])('the head goes on behind a block %s, which is a dead letter as a whole', async (_, second) => {
  const { store, chain, third, letter, letters } = await stage(second);
  const following = followChain(store, chain);
  await untilHeld(store, { chain: 'solana', hash: third.hash, following });
  chain.grow(1);
  await untilHeld(store, { chain: 'solana', hash: chain.tip.hash, following });
  await following.stop();
  expect(await letters()).toEqual([letter]);
  const numbers = (await readStanding(store, 'solana')).map(({ number }) => number);
  expect(numbers).toEqual([third.number - 2, third.number, third.number + 1]);
});

test('a range ends behind a block that the log can never take, and says which it was', async () => {
  const { store, chain, third, letter, letters } = await stage();
  const codec = await openCodec<RangeIngested>(store.registry, 'RangeIngested');
  const finished = await FinishedRanges.read(store.log, codec, () => {});
  const problems: string[] = [];
  const range = { first: third.number - 2, last: third.number };
  await ingestRange(
    {
      ...{ source: chain, log: store.log, encode: store.encodeBlock, finished, parallel: 2 },
      events: {
        stored: () => {},
        problem: ({ block, problem }) => problems.push(`${block} ${problem.code}`),
        waiting: (error) => {
          throw error;
        },
      },
    },
    range,
    NEVER,
  );
  expect(problems).toEqual([`${third.number - 1} record_too_large`]);
  expect(await letters()).toEqual([letter]);
  expect(finished.missing('solana', range)).toEqual([]);
});

test('what could not be decoded of a block goes beside it as a dead letter that names it', () => {
  const chain = new ForkingChain();
  chain.grow(1);
  const [sound] = chain.blocks;
  if (!sound) throw new RangeError('there is one');
  const recordsOf = (codes: readonly string[]) => {
    const problems = codes.map((code, txIndex) => ({ code, txIndex, message: 'why' }));
    return blockRecords({ ...sound, problems }, createBlockEncoder(1), { topic: 'any', key: 'any' });
  };
  expect(recordsOf([]).map(({ topic }) => topic)).toEqual(['any']);
  const [block, letter] = recordsOf(['meta_missing', 'bad_integer', 'meta_missing']);
  expect(block).toMatchObject({ topic: 'any' });
  expect(letter).toMatchObject({
    topic: 'dead-letters',
    headers: {
      source: `solana/${sound.number}/${sound.hash}`,
      reason: '3 problems: meta_missing, bad_integer',
    },
  });
  expect(JSON.parse(String(letter?.value))).toMatchObject({ number: sound.number, problems: [{}, {}, {}] });
});
