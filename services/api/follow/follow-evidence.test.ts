import { expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const [ANN, BEA, CYD, DAN] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const ETHER = 10n ** 18n;
const DOLLAR = 1_000_000n;

type Amount = { amount: number; amount_raw: string };
type Hop = Amount & {
  to: string;
  share: number;
  moved: number;
  moved_raw: string;
  transactions: (Amount & { signature: string; time: number })[];
};
type Answer = {
  hops: Hop[];
  end: { reason: string; detail: string; time: number; output: (Amount & { usd: number }) | null };
};

const follow = async (story: readonly StoryStep[], body: object): Promise<Answer> => {
  await using api = await startApi({ reader: createMemoryReader(tellStory('ethereum', story)) });
  const response = await api.post('/follow', { chain: 'ethereum', ...body });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

test('every transaction that carried a hop is named, with its amount and time', async () => {
  const { hops } = await follow(
    [
      { time: 1_000, hash: '0x01', moves: [move(ANN, BEA, 3n * ETHER)] },
      { time: 1_100, hash: '0x02', moves: [move(ANN, BEA, 7n * ETHER)] },
    ],
    { address: ANN, asset: 'native' },
  );
  expect(hops).toMatchObject([
    {
      ...{ amount: 10, amount_raw: String(10n * ETHER), signature: '0x02' },
      transactions: [
        { signature: '0x01', amount: 3, amount_raw: String(3n * ETHER), time: 1_000 },
        { signature: '0x02', amount: 7, amount_raw: String(7n * ETHER), time: 1_100 },
      ],
      transactions_total: 2,
    },
  ]);
});

test("a wallet's own money is not the traced money: amount and share leave it out, moved has it", async () => {
  const { hops, end } = await follow(
    [
      { time: 900, moves: [move(DAN, BEA, 50n * ETHER)] },
      { time: 1_000, moves: [move(ANN, BEA, 100n * ETHER)] },
      { time: 1_100, moves: [move(BEA, CYD, 150n * ETHER)] },
      { time: 1_200, moves: [move(CYD, DAN, 75n * ETHER)] },
    ],
    { address: ANN, asset: 'native' },
  );
  expect(hops).toMatchObject([
    { amount: 100, share: 1, moved: 100 },
    { amount: 100, share: 1, moved: 150, moved_raw: String(150n * ETHER) },
    { amount: 50, share: 0.5, moved: 75 },
  ]);
  expect(end.detail).toContain('Of the 75 ETH that reached');
  expect(end.detail).toContain('50 ETH is the money that is traced');
});

test('what came out of a swap is told: how much of it, and what it was worth', async () => {
  const swap = (gave: bigint, got: bigint) => ({
    ...{ owner: BEA, gaveAsset: 'native', gaveRaw: gave * ETHER, gotAsset: USDC, gotRaw: got * DOLLAR },
    through: CYD,
  });
  const { end } = await follow(
    [
      { time: 1_000, moves: [move(ANN, BEA, 5n * ETHER)] },
      { time: 1_100, by: BEA, moves: [], swaps: [swap(2n, 6_000n)] },
      { time: 1_200, by: BEA, moves: [], swaps: [swap(3n, 9_100n)] },
    ],
    { address: ANN, asset: 'native' },
  );
  expect(end).toMatchObject({
    reason: 'dex_swap',
    time: 1_100,
    output: { symbol: 'USDC', amount: 15_100, amount_raw: '15100000000', usd: 15_100 },
  });
});

test('what a sale within the transaction of a hop brought is told as well', async () => {
  const moves = [move(BEA, CYD, 5n * ETHER), move(CYD, DAN, 15_000n * DOLLAR, { asset: USDC })];
  const { end } = await follow(
    [
      { time: 1_000, moves: [move(ANN, BEA, 5n * ETHER)] },
      { time: 1_100, by: BEA, moves },
    ],
    { address: ANN, asset: 'native' },
  );
  expect(end).toMatchObject({
    reason: 'dex_swap',
    output: { amount: 15_000, amount_raw: '15000000000', usd: 15_000 },
  });
});
