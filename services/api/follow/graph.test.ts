import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { startApi } from '../../testing/start-api.ts';
import { flowGraphAnswer } from './graph-answer.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const CYD = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb';
const DOT = '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb';
const SHOP = `0x${'1'.repeat(40)}`;
const paid = (from: string, to: string, usd: bigint) => [move(from, to, usd * 1_000_000n, { asset: USDC })];

const story = tellStory('ethereum', [
  { time: 1_000, hash: '0xaa', moves: paid(ANN, BEA, 60n) },
  { time: 2_000, hash: '0xbb', moves: paid(ANN, CYD, 40n) },
  { time: 3_000, hash: '0xcc', moves: paid(BEA, DOT, 60n) },
  { time: 4_000, hash: '0xdd', moves: paid(CYD, DOT, 40n) },
  { time: 5_000, hash: '0xee', moves: paid(DOT, SHOP, 30n) },
  { time: 5_000, hash: '0xff', moves: paid(DOT, SHOP, 60n) },
]);
const labels = new Map([[SHOP, { name: 'Alder', kind: 'exchange', passing: null } as never]]);

test('the whole flow is told wallet by wallet and payment by payment, and its dollars add up', async () => {
  await using api = await startApi({ reader: createMemoryReader(story, { labels }) });
  const body = { address: ANN, asset: 'USDC', graph: true };
  const response = await api.post('/follow', JSON.stringify(body));
  expect(response.status).toBe(200);
  const answer = flowGraphAnswer.strict().parse(await response.json());
  const shown = (address: string) => answer.nodes.find((node) => node.address.toLowerCase() === address);
  expect(answer.nodes).toHaveLength(5);
  expect(shown(DOT)).toMatchObject({ hops: 2, arrived: 100, left: 90, rest: 10, probability: 1, usd: 100 });
  expect(answer.edges).toHaveLength(5);
  expect(answer.edges.find(({ to }) => to === SHOP)).toMatchObject({
    ...{ amount: 90, amount_raw: '90000000', moved: 90, share: 0.9, probability: 1, beyond_sum: false },
    ...{ usd: 90, transactions: [{ amount: 30 }, { signature: '0xff', amount: 60 }], transactions_total: 2 },
  });
  expect(answer.ends).toMatchObject([
    { reason: 'exchange', address: SHOP, label: { name: 'Alder' }, usd: 90 },
  ]);
  const traced = { chain: 'ethereum', counterparty: SHOP, direction: 'out', time: 5_000, sol: 0 };
  expect(answer.ends[0]?.next).toMatchObject([
    { path: '/trace', body: { ...traced, signature: '0xff', usd: 60 } },
    { path: '/trace', body: { ...traced, signature: '0xee', usd: 30 } },
  ]);
  expect(answer.coverage).toMatchObject({
    ...{ taken: { usd: 100 }, ends: { usd: 90 }, rest: { usd: 10 }, frontier: { usd: 0 }, usd_source: 'peg' },
  });
  expect(answer.meta).toMatchObject({ scope: 'full', wallets_read: 4 });
});

test('two halves of a cent leave no debt where nothing rests', async () => {
  const half = (to: string) => [move(ANN, to, 5_000n, { asset: USDC })];
  const blocks = tellStory('ethereum', [
    { time: 1_000, moves: half(SHOP) },
    { time: 2_000, moves: half(BEA) },
    { time: 3_000, moves: [move(BEA, CYD, 5_000n, { asset: USDC })] },
  ]);
  await using api = await startApi({ reader: createMemoryReader(blocks, { labels }) });
  const response = await api.post('/follow', { address: ANN, asset: 'USDC', graph: true, max_hops: 1 });
  const { coverage } = flowGraphAnswer.parse(await response.json());
  expect(coverage).toMatchObject({ ends: { amount_raw: '5000' }, frontier: { amount_raw: '5000' } });
  expect(coverage).toMatchObject({ taken: { usd: 0.01 }, rest: { amount: 0, usd: 0 } });
});

test('a payment into a service is named once, of the most of the followed money first', async () => {
  const route = `0x${'2'.repeat(40)}`;
  const both = [...paid(BEA, SHOP, 30n), ...paid(BEA, route, 40n), ...paid(route, SHOP, 40n)];
  const blocks = tellStory('ethereum', [
    { time: 1_000, moves: paid(ANN, BEA, 70n) },
    { time: 1_000, moves: paid(ANN, CYD, 10n) },
    { time: 1_500, moves: paid(DOT, CYD, 490n) },
    { time: 2_000, hash: '0xaa', by: BEA, moves: both },
    { time: 2_500, hash: '0xbb', moves: paid(CYD, SHOP, 500n) },
  ]);
  await using api = await startApi({ reader: createMemoryReader(blocks, { labels }) });
  const response = await api.post('/follow', { address: ANN, asset: 'USDC', graph: true });
  const { ends } = flowGraphAnswer.parse(await response.json());
  expect(ends[0]?.next).toMatchObject([
    { body: { signature: '0xaa', usd: 70 } },
    { body: { signature: '0xbb', usd: 500 } },
  ]);
});

describe('the calls that go on from an end', () => {
  const BASE_USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
  const gate = new Map([[SHOP, { name: 'Gate', kind: 'bridge', passing: null } as never]]);
  const one = { bridge: 'across', messageId: '1:7', from: BEA, to: BEA } as const;
  const chains = [
    ...tellStory('ethereum', [
      { time: 1_000, moves: paid(ANN, BEA, 60n) },
      { time: 1_500, moves: paid(ANN, CYD, 40n) },
      {
        ...{ time: 2_000, moves: paid(BEA, SHOP, 60n) },
        crossings: [{ ...one, side: 'deposit', farChain: 'base', asset: USDC, amountRaw: 60_000_000n }],
      },
      {
        ...{ time: 2_500, by: CYD },
        swaps: [
          {
            ...{ owner: CYD, gaveAsset: USDC, gaveRaw: 40_000_000n, through: DOT },
            ...{ gotAsset: 'native', gotRaw: 10n ** 16n },
          },
        ],
      },
      { time: 3_000, moves: [move(CYD, DOT, 10n ** 16n)] },
    ]),
    ...tellStory('base', [
      {
        ...{ time: 9_000, moves: [move(null, BEA, 59_000_000n, { asset: BASE_USDC, kind: 'mint' })] },
        crossings: [
          { ...one, side: 'delivery', farChain: 'ethereum', asset: BASE_USDC, amountRaw: 59_000_000n },
        ],
      },
      { time: 9_500, moves: [move(BEA, ANN, 59_000_000n, { asset: BASE_USDC })] },
    ]),
  ];

  test('lead to the far side of a bridge and to what a swap brought, and are answered', async () => {
    await using api = await startApi({ reader: createMemoryReader(chains, { labels: gate }) });
    const ask = async (body: object) => (await api.post('/follow', body)).json();
    const graph = flowGraphAnswer.parse(await ask({ address: ANN, asset: 'USDC', graph: true }));
    const bridge = graph.ends.find(({ reason }) => reason === 'bridge');
    expect(bridge?.crossings).toMatchObject([{ chain: 'base', amount: 59, since: 9_000, by: 'id' }]);
    const bodies = graph.ends.flatMap(({ next }) => next.map(({ body }) => body));
    expect(bodies).toHaveLength(2);
    const trails = await Promise.all(bodies.map(ask));
    expect(trails).toMatchObject([
      { chain: 'base', hops: [{ amount: 59 }] },
      { chain: 'ethereum', asset: { symbol: 'ETH' }, hops: [{ amount: 0.01 }] },
    ]);
  });

  test('name an amount in the units that its own chain reports', async () => {
    const token = `0x${'ab'.repeat(20)}`;
    const moved = { ...one, from: ANN, to: ANN } as const;
    const out = { asset: token, amountRaw: 7n * 10n ** 18n };
    const blocks = [
      ...tellStory('ethereum', [
        {
          ...{ time: 1_000, moves: paid(ANN, SHOP, 5n) },
          crossings: [{ ...moved, side: 'deposit', farChain: 'base', asset: USDC, amountRaw: 5_000_000n }],
        },
      ]),
      ...tellStory('base', [
        {
          ...{ time: 9_000, moves: [move(null, ANN, out.amountRaw, { asset: token, kind: 'mint' })] },
          crossings: [{ ...moved, side: 'delivery', farChain: 'ethereum', ...out }],
        },
        { time: 9_500, moves: [move(ANN, BEA, out.amountRaw, { asset: token })] },
      ]),
    ];
    const claims = new Map([[`base:${token}`, { symbol: 'TOK', decimals: 18 }]]);
    await using api = await startApi({
      ...{ reader: createMemoryReader(blocks, { labels: gate }), assets: createMemoryAssetReader(claims) },
    });
    const ask = async (body: object) => (await api.post('/follow', body)).json();
    const graph = flowGraphAnswer.parse(await ask({ address: ANN, asset: 'USDC', graph: true }));
    expect(graph.ends[0]?.crossings).toMatchObject([{ asset: { symbol: 'TOK', decimals: 18 }, amount: 7 }]);
    expect(await ask(graph.ends[0]?.next[0]?.body ?? {})).toMatchObject({ hops: [{ amount: 7 }] });
  });

  test('name nothing that came to nothing', async () => {
    const deposit = { ...one, side: 'deposit', farChain: 'base', asset: USDC, amountRaw: 5n } as const;
    const delivery = {
      ...one,
      side: 'delivery',
      farChain: 'ethereum',
      asset: BASE_USDC,
      amountRaw: 0n,
    } as const;
    const blocks = [
      ...tellStory('ethereum', [
        {
          time: 1_000,
          moves: [move(ANN, SHOP, 5n, { asset: USDC })],
          crossings: [{ ...deposit, from: ANN }],
        },
      ]),
      ...tellStory('base', [{ time: 9_000, crossings: [delivery] }]),
    ];
    await using api = await startApi({ reader: createMemoryReader(blocks, { labels: gate }) });
    const trail = { address: ANN, asset: 'USDC', chain: 'ethereum' };
    const response = await api.post('/follow', { ...trail, graph: true });
    const { ends } = flowGraphAnswer.parse(await response.json());
    expect(ends).toMatchObject([{ reason: 'bridge', next: [], crossings: [{ amount: 0 }] }]);
    expect((await (await api.post('/follow', trail)).json()) as object).toMatchObject({
      end: { reason: 'bridge', output: { amount: 0 }, next: null },
    });
  });

  test('name no chain that is not served', async () => {
    await using api = await startApi({
      reader: createMemoryReader(chains, { labels: gate }),
      chains: ['ethereum'],
    });
    const response = await api.post('/follow', { address: ANN, asset: 'USDC', graph: true });
    const { ends } = flowGraphAnswer.parse(await response.json());
    expect(ends.find(({ reason }) => reason === 'bridge')).toMatchObject({ next: [], crossings: [{}] });
  });
});

test('wallets that nobody read are asked for, and the answer names them', async () => {
  const asked: string[] = [];
  await using api = await startApi({
    backfills: () => ({ canBackfill: () => true, lastBackfill: () => null }),
    askForWallet: async (_, { address }) => {
      asked.push(address);
      return { withinSeconds: 7 };
    },
  });
  const response = await api.post('/follow', JSON.stringify({ address: ANN, asset: 'USDC', graph: true }));
  const { meta } = flowGraphAnswer.parse(await response.json());
  expect(asked).toEqual([ANN]);
  expect(meta).toMatchObject({ scope: 'partial', missing: [{ address: expect.any(String), seconds: 7 }] });
  expect(meta.detail?.toLowerCase()).toContain(`being read from the chain: ${ANN}. ask again in a minute.`);
});

test.each([
  ['flows', { graph: true }, 2],
  ['trails', {}, 10],
])('only some %s are followed at once, and others wait', async (_, more, atOnce) => {
  const held = Promise.withResolvers<void>();
  const whole = createMemoryReader(story, { labels });
  let begun = 0;
  const contiguousRange: typeof whole.contiguousRange = async (...asked) => {
    begun += 1;
    await held.promise;
    return whole.contiguousRange(...asked);
  };
  await using api = await startApi({ reader: { ...whole, contiguousRange } });
  const ask = () => api.post('/follow', { address: ANN, asset: 'USDC', ...more });
  const calls = Array.from({ length: atOnce + 1 }, ask);
  await expect.poll(() => begun, PATIENCE).toBe(atOnce);
  // One too many would have begun by now.
  await sleep(100);
  expect(begun).toBe(atOnce);
  held.resolve();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(atOnce + 1).fill(200));
  expect(begun).toBe(atOnce + 1);
});

test('several starts, hops and dollars bound what is read, and the frontier says so', async () => {
  await using api = await startApi({ reader: createMemoryReader(story, { labels }) });
  const ask = async (more: object) =>
    flowGraphAnswer.parse(
      await (await api.post('/follow', JSON.stringify({ asset: 'USDC', graph: true, ...more }))).json(),
    );
  const both = await ask({ address: BEA, starts: [{ address: CYD }] });
  expect(both.starts).toHaveLength(2);
  expect(both.coverage.taken.usd).toBe(100);
  const short = await ask({ address: ANN, max_hops: 1, since: 1_000 });
  expect(short.frontier).toMatchObject([
    { reason: 'max_hops', usd: 60 },
    { reason: 'max_hops', usd: 40 },
  ]);
  const rich = await ask({ address: ANN, since: 1_000, min_usd: 50 });
  expect(rich.frontier).toMatchObject([{ reason: 'min_usd', usd: 40 }]);
});

test('a wallet that is not known is no flow', async () => {
  await using api = await startApi({ reader: createMemoryReader(story) });
  const response = await api.post('/follow', JSON.stringify({ address: SHOP, asset: 'USDC', graph: true }));
  expect(flowGraphAnswer.parse(await response.json())).toMatchObject({
    edges: [],
    meta: { scope: 'no_data' },
  });
});

test('money of which no price is known is followed whatever dollars are asked for: unknown is not nothing', async () => {
  const token = `0x${'7'.repeat(40)}`;
  const unpriced = tellStory('ethereum', [
    { time: 1_000, moves: [move(ANN, BEA, 90n, { asset: token })] },
    { time: 1_100, moves: [move(BEA, CYD, 80n, { asset: token })] },
  ]);
  await using api = await startApi({ reader: createMemoryReader(unpriced) });
  const body = { address: ANN, chain: 'ethereum', asset: token, since: 1_000, graph: true, min_usd: 1_000 };
  const { edges, frontier, coverage } = flowGraphAnswer.parse(await (await api.post('/follow', body)).json());
  expect(edges).toHaveLength(2);
  expect(frontier).toEqual([]);
  expect(coverage).toMatchObject({ taken: { usd: null }, rest: { usd: null } });
});
