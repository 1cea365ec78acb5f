import { expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const [ANN, BEA, CYD, DAN] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const ETHER = 10n ** 18n;
const DOLLAR = 1_000_000n;
const dollars = { asset: USDC };

const follow = async (
  story: readonly StoryStep[],
  body: object,
  labels: Readonly<Record<string, { name: string; kind: 'exchange' | 'other' }>> = {},
) => {
  const reader = createMemoryReader(tellStory('ethereum', story), {
    labels: new Map(Object.entries(labels)),
  });
  await using api = await startApi({ reader });
  const response = await api.post('/follow', { chain: 'ethereum', ...body });
  expect(response.status).toBe(200);
  return response.json();
};

const swap = {
  ...{ owner: BEA, gaveAsset: 'native', gaveRaw: ETHER, gotAsset: USDC, gotRaw: 1_000n * DOLLAR },
  through: CYD,
};
const swapped: StoryStep = { time: 1_000, by: BEA, moves: [], swaps: [swap] };

test('what a swap brought at `since` is the money: a crumb that left of it is no trail', async () => {
  const crumb = { time: 1_100, moves: [move(BEA, DAN, 3n * DOLLAR, dollars)] };
  const answer = await follow([swapped, crumb], { address: BEA, asset: 'USDC', since: 1_000 });
  expect(answer).toMatchObject({ hops: [], end: { reason: 'at_rest', address: BEA } });
  expect(answer).toMatchObject({ end: { detail: expect.stringContaining('3 USDC of the 1,000 USDC') } });
});

test('and what the wallet had before is none of it', async () => {
  const answer = await follow(
    [
      { time: 900, moves: [move(ANN, BEA, 5_000n * DOLLAR, dollars)] },
      swapped,
      { time: 1_100, moves: [move(BEA, DAN, 1_000n * DOLLAR, dollars)] },
      { time: 1_200, moves: [move(BEA, CYD, 5_000n * DOLLAR, dollars)] },
    ],
    { address: BEA, asset: USDC, since: 1_000 },
  );
  expect(answer).toMatchObject({ hops: [{ to: DAN, amount: 1_000, share: 1 }] });
});

test('a second in which more left than came is that of a theft: what came is not taken for the money', async () => {
  const answer = await follow(
    [
      { time: 900, moves: [move(ANN, BEA, 5_000n * DOLLAR, dollars)] },
      { time: 1_000, moves: [move(CYD, BEA, 7n * DOLLAR, dollars)] },
      { time: 1_000, moves: [move(BEA, DAN, 5_000n * DOLLAR, dollars)] },
    ],
    { address: BEA, asset: USDC, since: 1_000 },
  );
  expect(answer).toMatchObject({ hops: [{ to: DAN, amount: 5_000, share: 1 }] });
});

test('backward, what left at `until` is the money whose source is asked for', async () => {
  const answer = await follow(
    [
      { time: 900, moves: [move(ANN, BEA, 1_000n * DOLLAR, dollars)] },
      { time: 950, moves: [move(CYD, BEA, 20n * DOLLAR, dollars)] },
      { time: 1_000, moves: [move(BEA, DAN, 1_000n * DOLLAR, dollars)] },
    ],
    { address: BEA, asset: USDC, until: 1_000, backward: true },
  );
  expect(answer).toMatchObject({ hops: [{ from: ANN, amount: 1_000 }] });
});

test.each([
  ['usdc', 'USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
  ['ETH', 'ETH', null],
  ['WETH', 'ETH', null],
])('the known symbol %s is taken as asset', async (asset, symbol, address) => {
  const answer = await follow([swapped], { address: BEA, asset });
  expect(answer).toMatchObject({ asset: { symbol, address } });
});

test('a start that is a service is named, with a warning that its money is mostly others', async () => {
  const story = [{ time: 1_000, moves: [move(ANN, BEA, ETHER)] }];
  const exchange = await follow(story, { address: ANN }, { [ANN]: { name: 'Alder', kind: 'exchange' } });
  expect(exchange).toMatchObject({ start_label: { name: 'Alder', kind: 'exchange' } });
  expect(exchange).toMatchObject({ end: { detail: expect.stringContaining('belongs to its customers') } });
  const person = await follow(story, { address: ANN }, { [ANN]: { name: 'ann.eth', kind: 'other' } });
  expect(person).toMatchObject({ start_label: { name: 'ann.eth', kind: 'other' } });
  expect(person).not.toMatchObject({ end: { detail: expect.stringContaining('customers') } });
});
