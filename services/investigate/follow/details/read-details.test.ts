import { expect, test } from 'vitest';
import { followWith, path, readStory, toFollowRequest } from '../../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import type { Query } from '../../model/query.ts';
import {
  ReadFailedError,
  type TransactionPosition,
  type TransferReader,
} from '../../model/transfer-reader.ts';
import { follow } from '../follow.ts';

const passage: readonly StoryStep[] = [
  { time: 10, moves: [move('alice', 'bob', 100n)] },
  { time: 20, moves: [move('bob', 'carol', 100n)] },
  { time: 30, moves: [move('carol', 'dave', 100n)] },
];

/** Follows a story, told which questions about transactions it asked. */
const asking = async (
  story: readonly StoryStep[],
  of: (reader: TransferReader) => Partial<TransferReader> = () => ({}),
) => {
  const memory = readStory(story);
  const whole = { ...memory, ...of(memory) };
  const asked: string[] = [];
  const count =
    <Common, Answer>(
      name: string,
      ask: Query<Common, TransactionPosition, Answer>,
    ): Query<Common, TransactionPosition, Answer> =>
    (common, positions, limits) => {
      asked.push(`${name} ${positions.map(({ blockNumber }) => blockNumber).join(' ')}`);
      return ask(common, positions, limits);
    };
  const reader: TransferReader = {
    ...whole,
    swappers: (request) => {
      asked.push('swappers');
      return whole.swappers(request);
    },
    wholeTransactions: count('rows', whole.wholeTransactions),
    transactionHashes: count('hashes', whole.transactionHashes),
  };
  const trail = await follow(toFollowRequest({}), followWith(reader));
  return { trail, asked };
};

test('what shows the hops is asked for before the last wallet is known to rest, and once', async () => {
  const { trail, asked } = await asking(passage);
  expect(trail.hops.map(({ signature }) => signature)).toEqual(['tx-10-0', 'tx-20-0', 'tx-30-0']);
  expect(asked).toEqual(['rows 10 20 30', 'swappers']);
});

test('hashes are asked only of transactions that carried no hop', async () => {
  const { trail, asked } = await asking([
    ...passage.slice(0, 2),
    { time: 30, moves: [move('carol', 'dave', 50n)] },
    { time: 40, moves: [move('carol', 'erin', 50n)] },
    { time: 50, moves: [move('carol', 'fred', 30n)] },
  ]);
  expect(asked.filter((name) => name !== 'swappers')).toEqual(['rows 10 20 30', 'hashes 40']);
  expect(trail.hops.at(-1)?.others).toMatchObject([{ to: 'erin', signature: 'tx-40-0' }]);
});

test('a trail that swapped after all is shown with its own transactions only, of which only new ones are asked for', async () => {
  const sale = { gaveAsset: 'native', gaveRaw: 100n, gotAsset: 'mint', gotRaw: 5n, through: null };
  const swapped = { ...passage[1], time: 20, swaps: [{ owner: 'bob', ...sale }] };
  const { trail, asked } = await asking([...passage.slice(0, 1), swapped, ...passage.slice(2)]);
  expect(path(trail)).toEqual(['alice>bob']);
  expect(trail.end).toMatchObject({ reason: 'dex_swap', signature: 'tx-20-0' });
  expect(asked.filter((name) => name !== 'swappers')).toEqual(['rows 10 20 30']);
});

test('what could not be read before the end is asked for again, and fails the trail only then', async () => {
  const failing = (times: number) => (memory: TransferReader) => {
    let failed = 0;
    return {
      wholeTransactions: async (...request: Parameters<TransferReader['wholeTransactions']>) => {
        failed += 1;
        if (failed <= times) throw new ReadFailedError('unavailable');
        return memory.wholeTransactions(...request);
      },
    };
  };
  expect((await asking(passage, failing(1))).trail).toEqual((await asking(passage)).trail);
  await expect(asking(passage, failing(2))).rejects.toMatchObject({ code: 'unavailable' });
});

test('a transaction whose rows were too many to read is named by its hash', async () => {
  const { trail, asked } = await asking(passage, (memory) => ({
    wholeTransactions: async (common, positions, limits) =>
      (await memory.wholeTransactions(common, positions, limits)).map((rows, at) =>
        (positions[at]?.blockNumber ?? 0) < 30 ? rows : null,
      ),
  }));
  expect(trail.hops.at(-1)?.signature).toBe('tx-30-0');
  expect(asked).toContain('hashes 30');
});
