import { expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader, type MemoryReaderOptions } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const [ANN, BEA, CYD] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const FAKE = `0x${'f'.repeat(40)}`;
const ETHER = 10n ** 18n;

type Answer = { hops: object[]; end: { reason: string; detail: string }; meta: { detail: string | null } };

const follow = async (
  story: readonly StoryStep[],
  body: object,
  options: MemoryReaderOptions = {},
): Promise<Answer> => {
  const blocks = tellStory('ethereum', story);
  await using api = await startApi({ reader: createMemoryReader(blocks, options) });
  const response = await api.post('/follow', { chain: 'ethereum', address: ANN, ...body });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

const paid: StoryStep = { time: 1_000, moves: [move(ANN, BEA, ETHER)] };

test('money that arrived in the last indexed block is not at rest, and the answer is partial', async () => {
  const answer = await follow([paid], {}, { headBlock: 1_000 });
  expect(answer).toMatchObject({
    hops: [{ to: BEA }],
    end: { reason: 'no_data', address: BEA },
    meta: { scope: 'partial', index_head: 1_000 },
  });
  expect(answer.end.detail).toMatch(/^As of block 1000, .*newest indexed block.*Ask again later/);
  expect(answer.meta.detail).toBe(answer.end.detail);
});

test('a block later it rests, as of that block and its time', async () => {
  const answer = await follow([paid], {}, { headBlock: 1_001 });
  expect(answer).toMatchObject({ end: { reason: 'at_rest' }, meta: { scope: 'full', detail: null } });
  expect(answer.end.detail).toMatch(/^As of block 1001, 1970-01-01T00:16:40/);
});

test('an allowance theft of an unlisted token is partial, charged for, and names whom it went to', async () => {
  const theft = {
    ...{ time: 1_000, by: CYD },
    moves: [move(ANN, CYD, 5n, { asset: FAKE, authority: CYD })],
  };
  const answer = await follow([theft], { asset: FAKE });
  expect(answer).toMatchObject({
    end: { reason: 'no_data', others: [{ to: CYD, amount_raw: '5' }] },
    meta: { scope: 'partial' },
  });
  expect(answer.meta.detail).toContain('Left out');
  expect(answer.end.detail).not.toContain('still there');
});

test('a chain of which no block is indexed is named as not read here', async () => {
  const answer = await follow([paid], { chain: 'base' });
  expect(answer).toMatchObject({ end: { reason: 'no_data' }, meta: { scope: 'no_data', index_head: null } });
  expect(answer.end.detail).toContain('base is not read here');
  const known = await follow([paid], { address: CYD });
  expect(known.end.detail).toContain('in what is indexed of ethereum');
});

test('a trail whose start has a past that is not indexed is partial, and a sentence says so', async () => {
  const answer = await follow([paid], {}, { indexedSince: 500, headBlock: 1_001 });
  expect(answer).toMatchObject({ meta: { scope: 'partial' } });
  expect(answer.meta.detail).toContain('Not all that these wallets did is indexed');
});
