import { expect, test } from 'vitest';
import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const [ANN, BEA, CYD, DAN, EVE, FAY] = ['1', '2', '3', '4', '5', '6'].map(
  (digit) => `0x${digit.repeat(40)}`,
) as [string, string, string, string, string, string];
const ETHER = 10n ** 18n;
const DOLLAR = 1_000_000n;

type Answer = {
  hops: { to: string; others: object[] }[];
  end: {
    reason: string;
    detail: string;
    branches: object[];
    output: object | null;
    next: { body: Record<string, unknown> } | null;
  };
};

/** Asks each body of a chain of calls: the next is what the last answer handed over. */
const followOn = async (story: readonly StoryStep[], body: Record<string, unknown>): Promise<Answer[]> =>
  followOver(createMemoryReader(tellStory('ethereum', story)), body);

const followOver = async (reader: TransferReader, body: Record<string, unknown>): Promise<Answer[]> => {
  await using api = await startApi({ reader });
  const answers: Answer[] = [];
  let next: Record<string, unknown> | undefined = { chain: 'ethereum', ...body };
  while (next !== undefined && answers.length < 10) {
    const response = await api.post('/follow', next);
    expect(response.status).toBe(200);
    const answer = (await response.json()) as Answer;
    answers.push(answer);
    next = answer.end.next?.body;
  }
  return answers;
};

/** Bea and Dan add money of their own; a third of it is not the trail's, which no double says exactly. */
const mixed: readonly StoryStep[] = [
  { time: 900, moves: [move(FAY, BEA, 50n * ETHER)] },
  { time: 900, moves: [move(FAY, DAN, 11n * ETHER)] },
  { time: 1_000, moves: [move(ANN, BEA, 100n * ETHER)] },
  { time: 1_100, moves: [move(BEA, CYD, 150n * ETHER)] },
  { time: 1_200, moves: [move(CYD, DAN, 76n * ETHER + 1n)] },
  { time: 1_300, moves: [move(DAN, EVE, 87n * ETHER + 1n)] },
];

test.each([1, 2, 3])(
  'a trail that is cut after every %d hops and gone on with says of each hop what the whole one says',
  async (hops) => {
    const [whole] = await followOn(mixed, { address: ANN, asset: 'native' });
    const parts = await followOn(mixed, { address: ANN, asset: 'native', max_hops: hops });
    expect(whole?.hops.length).toBe(4);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.flatMap((part) => part.hops)).toEqual(whole?.hops);
    expect(parts.at(-1)?.end).toEqual(whole?.end);
  },
);

test('what the trail goes on with is all that was moved, and beside it the part that is traced', async () => {
  const [first] = await followOn(mixed, { address: ANN, asset: 'native', max_hops: 2 });
  expect(first?.end.next?.body).toMatchObject({ amount: 150, traced_raw: String(100n * ETHER) });
  const clean = await followOn(mixed, { address: ANN, asset: 'native', max_hops: 1 });
  expect(clean[0]?.end.next?.body).not.toHaveProperty('traced_raw');
});

test('what came out of a swap is traced in the same part as what was given for it, and goes on so', async () => {
  const swap = {
    ...{ owner: CYD, gaveAsset: 'native', gaveRaw: 150n * ETHER, gotAsset: USDC, gotRaw: 300_000n * DOLLAR },
    through: DAN,
  };
  const [first, behind] = await followOn(
    [
      ...mixed.slice(0, 4),
      { time: 1_200, by: CYD, moves: [], swaps: [swap] },
      { time: 1_300, moves: [move(CYD, EVE, 300_000n * DOLLAR, { asset: USDC })] },
    ],
    { address: ANN, asset: 'native' },
  );
  expect(first?.end).toMatchObject({
    reason: 'dex_swap',
    output: { amount: 300_000, traced: 200_000, traced_raw: String(200_000n * DOLLAR) },
    next: { body: { amount: 300_000, traced_raw: String(200_000n * DOLLAR) } },
  });
  expect(behind?.hops).toMatchObject([{ to: EVE, amount: 200_000, moved: 300_000 }]);
});

test('what came out of a bridge is traced no further than what was put in for it', async () => {
  const crossing = {
    ...({ bridge: 'across', messageId: '1:7', from: ANN, to: ANN } as const),
    ...{ asset: 'native', amountRaw: 2n * ETHER },
  };
  const put = { time: 1_000, moves: [move(ANN, BEA, ETHER), move(DAN, BEA, ETHER)] };
  const paid = { time: 1_500, moves: [move(null, ANN, 2n * ETHER, { kind: 'mint' })] };
  const blocks = [
    ...tellStory('ethereum', [{ ...put, crossings: [{ ...crossing, side: 'deposit', farChain: 'base' }] }]),
    ...tellStory('base', [{ ...paid, crossings: [{ ...crossing, side: 'delivery', farChain: 'ethereum' }] }]),
  ];
  const labels = new Map([[BEA, { name: 'Gate', kind: 'bridge' as const }]]);
  const [first] = await followOver(createMemoryReader(blocks, { labels }), {
    chain: 'ethereum',
    address: ANN,
  });
  expect(first?.end).toMatchObject({
    ...{ reason: 'bridge', output: { amount: 2, traced: 1 } },
    next: { body: { amount: 2, traced_raw: String(ETHER) } },
  });
});

test('branches say how much of them is the traced money', async () => {
  const [answer] = await followOn(
    [
      ...mixed.slice(0, 4),
      { time: 1_200, moves: [move(CYD, DAN, 60n * ETHER)] },
      { time: 1_200, moves: [move(CYD, EVE, 60n * ETHER)] },
      { time: 1_200, moves: [move(CYD, FAY, 30n * ETHER)] },
    ],
    { address: ANN, asset: 'native' },
  );
  expect(answer?.end).toMatchObject({
    reason: 'split',
    branches: [
      { amount: 60, traced: 40, traced_raw: String(40n * ETHER) },
      { amount: 60, traced: 40 },
      { amount: 30, traced: 20 },
    ],
  });
});

test('what went beside a hop is traced in its part too', async () => {
  const [answer] = await followOn(
    [
      ...mixed.slice(0, 4),
      { time: 1_200, moves: [move(CYD, DAN, 90n * ETHER)] },
      { time: 1_300, moves: [move(CYD, EVE, 60n * ETHER)] },
    ],
    { address: ANN, asset: 'native' },
  );
  expect(answer?.hops.at(-1)).toMatchObject({
    ...{ to: DAN, amount: 60, moved: 90 },
    others: [{ to: EVE, amount: 60, traced: 40, traced_raw: String(40n * ETHER) }],
  });
});

test('a part that is not of an amount is refused', async () => {
  await using api = await startApi({ reader: createMemoryReader([]) });
  for (const traced_raw of ['-1', '1.5', '', '9'.repeat(101), 1]) {
    const response = await api.post('/follow', { address: ANN, amount: 1, traced_raw });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ fields: [{ path: 'traced_raw' }] });
  }
  const alone = await api.post('/follow', { address: ANN, traced_raw: '1' });
  expect(await alone.json()).toMatchObject({ fields: [{ path: 'traced_raw' }] });
});
