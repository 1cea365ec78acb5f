import { describe, expect, test } from 'vitest';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
// The last four are examples of EIP-55, so that the checksummed forms are known from elsewhere.
const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const CYD = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb';
const [ANN_SHOWN, BEA_SHOWN] = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
];
const TWENTY = {
  ...{ from: BEA_SHOWN, amount: 20, amount_raw: '20000000', usd: 20, usd_source: 'peg' },
  ...{ signature: '0xbb', since: 2_000, to_label: null, output: null },
};
const DOLLAR = 1_000_000n;
const ETHER = 10n ** 18n;
const UNLISTED = `0x${'4'.repeat(40)}`;
const DOT = `0x${'1'.repeat(40)}`;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

type SwapAnswer = {
  end: { reason: string; address: string; time: number | null; output: { address: string } | null };
};
type Payment = {
  from: string;
  to: string;
  amount: number;
  since: number;
  output: { address: string; recipient: string } | null;
};
type FarSide = {
  chain: string;
  address: string;
  since?: number;
  until?: number;
  amount: number;
  asset: { address: string };
};
type BridgeAnswer = { end: { output: FarSide } };
type HopsAnswer = { hops: { others: Payment[] }[]; end: { others: Payment[] } };

describe('the answer', () => {
  const story = tellStory('ethereum', [
    { time: 1_000, hash: '0xaa', moves: [move(ANN, BEA, 100n * DOLLAR, { asset: USDC })] },
    {
      time: 2_000,
      hash: '0xbb',
      moves: [
        move(BEA, CYD, 30n * DOLLAR, { asset: USDC }),
        move(BEA, `0x${'1'.repeat(40)}`, 20n * DOLLAR, { asset: USDC }),
        move(BEA, `0x${'2'.repeat(40)}`, 20n * DOLLAR, { asset: USDC }),
      ],
    },
  ]);
  const labels = new Map([[CYD, { name: 'Some Pool', kind: 'dex' as const }]]);

  test('has the fields of the specification, in whole units and EIP-55 addresses', async () => {
    await using api = await startApi({ reader: createMemoryReader(story, { labels }) });
    const response = await api.post('/follow', { address: ANN_SHOWN, chain: 'ethereum', asset: USDC });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      chain: 'ethereum',
      start: ANN_SHOWN,
      start_label: null,
      asset: { symbol: 'USDC', address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
      hops: [
        {
          from: ANN_SHOWN,
          to: BEA_SHOWN,
          amount: 100,
          amount_raw: '100000000',
          usd: 100,
          usd_source: 'peg',
          symbol: 'USDC',
          signature: '0xaa',
          time: 1_000,
          share: 1,
          share_of: 'moved',
          moved: 100,
          moved_raw: '100000000',
          transactions: [{ signature: '0xaa', amount: 100, amount_raw: '100000000', time: 1_000 }],
          transactions_total: 1,
          to_label: null,
          through: [],
          positions: [],
          others: [],
        },
      ],
      end: {
        reason: 'split',
        outcome: 'split',
        outcomes: [{ outcome: 'split', amount: 100, amount_raw: '100000000' }],
        ...{ frozen: null, frozen_known: false, can_freeze: true, issuer: null },
        address: BEA_SHOWN,
        detail: expect.stringContaining(BEA_SHOWN),
        holding: null,
        holding_raw: null,
        holding_source: null,
        branches: [
          {
            from: BEA_SHOWN,
            to: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
            since: 2_000,
            amount: 30,
            amount_raw: '30000000',
            usd: 30,
            usd_source: 'peg',
            signature: '0xbb',
            to_label: { name: 'Some Pool', kind: 'dex' },
            output: null,
          },
          { to: `0x${'1'.repeat(40)}`, ...TWENTY },
          { to: `0x${'2'.repeat(40)}`, ...TWENTY },
        ],
        others: [],
        output: null,
        signature: null,
        time: null,
        next: null,
      },
      meta: {
        ...{ chain: 'ethereum', scope: 'full', detail: null },
        ...{ data_from: 1_000, data_to: 2_000, index_head: 2_001 },
        ...{ prices: 'ready', read: [], missing: [] },
        explorer: {
          address: 'https://etherscan.io/address/{address}',
          transaction: 'https://etherscan.io/tx/{hash}',
        },
      },
      continuation: null,
    });
  });

  test('of the coin has no asset address and no dollar value, and holding is a number', async () => {
    const coins = tellStory('ethereum', [{ time: 1_000, moves: [move(ANN, BEA, 10n ** 18n)] }]);
    await using api = await startApi({ reader: createMemoryReader(coins) });
    const answer = await (await api.post('/follow', { address: ANN })).json();
    expect(answer).toMatchObject({
      asset: { symbol: 'ETH', address: null, decimals: 18 },
      hops: [{ amount: 1, usd: null, usd_source: null }],
      end: { reason: 'at_rest', holding: 1, branches: [], output: null },
    });
  });

  test.each([
    ['raw units of a token whose decimals nobody says', 10n ** 62n, null],
    ['one unit of a token of thirty decimals', 1n, 30],
  ])('of a hop names what can be sent back: %s', async (_, raw, decimals) => {
    const token = { asset: UNLISTED };
    const story = tellStory('ethereum', [
      { time: 1_000, moves: [move(ANN, BEA, 6n * raw, token), move(ANN, CYD, 4n * raw, token)] },
      { time: 2_000, moves: [move(CYD, DOT, 4n * raw, token)] },
    ]);
    const claim = { symbol: 'JUNK', decimals };
    const assets = createMemoryAssetReader(new Map([[`ethereum:${UNLISTED}`, claim]]));
    await using api = await startApi({ reader: createMemoryReader(story), assets });
    const first = (await (await api.post('/follow', { address: ANN, asset: UNLISTED })).json()) as HopsAnswer;
    const [other] = first.hops[0]?.others ?? [];
    const { from: counterparty, to: address, since, amount } = other ?? { from: '', to: '' };
    const next = await api.post('/follow', { address, counterparty, since, amount, asset: UNLISTED });
    expect(await next.json()).toMatchObject({ hops: [{ to: DOT, amount }] });
  });

  test('of a swap can be sent back as it stands to go on', async () => {
    const gaveEther = { gaveAsset: 'native', gaveRaw: 5n, gotAsset: USDC, gotRaw: DOLLAR, through: CYD };
    const gaveDollar = { gaveAsset: USDC, gaveRaw: DOLLAR, gotAsset: 'native', gotRaw: 4n, through: CYD };
    const swaps = tellStory('ethereum', [
      { time: 1_000, hash: '0xs1', moves: [move(ANN, CYD, 5n)], swaps: [{ owner: ANN, ...gaveEther }] },
      {
        time: 2_000,
        hash: '0xs2',
        moves: [move(ANN, CYD, DOLLAR, { asset: USDC })],
        swaps: [{ owner: ANN, ...gaveDollar }],
      },
      { time: 3_000, hash: '0xs3', moves: [move(ANN, BEA, 4n)] },
    ]);
    await using api = await startApi({ reader: createMemoryReader(swaps) });
    let question: object = { address: ANN, asset: 'native' };
    const outputs: unknown[] = [];
    for (let calls = 0; calls < 3; calls += 1) {
      const { end } = (await (await api.post('/follow', question)).json()) as SwapAnswer;
      outputs.push(end.output?.address ?? end.reason);
      question = { address: end.address, asset: end.output?.address, since: end.time };
    }
    expect(outputs).toEqual(['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'native', 'at_rest']);
  });

  test('of a hop says what left beside it, and each branch can be sent back as it stands to go on', async () => {
    const paid = [move(BEA, CYD, 6n * ETHER), move(BEA, DOT, 3n * ETHER)];
    const ether = tellStory('ethereum', [
      { time: 1_000, moves: [move(ANN, BEA, 9n * ETHER)] },
      { time: 2_000, moves: paid },
      { time: 3_000, moves: [move(DOT, ANN, 3n * ETHER)] },
      { time: 3_001, moves: [move(DOT, CYD, 50n * ETHER)] },
    ]);
    await using api = await startApi({ reader: createMemoryReader(ether) });
    const answer = (await (await api.post('/follow', { address: ANN })).json()) as HopsAnswer;
    const [other] = answer.hops[1]?.others ?? [];
    expect(other).toMatchObject({ from: BEA_SHOWN, to: DOT, amount: 3, since: 2_000 });
    const { to: address, from: counterparty, since, amount } = other ?? {};
    const onward = await (await api.post('/follow', { address, counterparty, since, amount })).json();
    expect(onward).toMatchObject({ hops: [{ from: DOT, to: ANN_SHOWN, amount: 3, share: 1 }] });
  });

  test('of a hop says what of the money was swapped beside it, and that can be sent back to go on', async () => {
    const swap = { gaveAsset: 'native', gaveRaw: ETHER, gotAsset: USDC, gotRaw: DOLLAR, through: CYD };
    const got = move(CYD, BEA, DOLLAR, { asset: USDC });
    const story = tellStory('ethereum', [
      { time: 1_000, moves: [move(ANN, BEA, 9n * ETHER)] },
      { time: 2_000, by: BEA, moves: [move(BEA, CYD, ETHER), got], swaps: [{ owner: BEA, ...swap }] },
      { time: 3_000, moves: [move(BEA, DOT, 8n * ETHER)] },
      { time: 4_000, moves: [move(BEA, ANN, DOLLAR, { asset: USDC })] },
    ]);
    await using api = await startApi({ reader: createMemoryReader(story) });
    const answer = (await (await api.post('/follow', { address: ANN })).json()) as HopsAnswer;
    const [other] = answer.hops[1]?.others ?? [];
    expect(other).toMatchObject({ amount: 1, output: { symbol: 'USDC', decimals: 6, recipient: BEA_SHOWN } });
    const { since, output } = other ?? {};
    const question = { address: output?.recipient, asset: output?.address, since };
    const onward = await (await api.post('/follow', question)).json();
    expect(onward).toMatchObject({ asset: { symbol: 'USDC' }, hops: [{ from: BEA_SHOWN, to: ANN_SHOWN }] });
  });

  test('of a sale names whoever else got some of the proceeds, which can be sent back to go on', async () => {
    const sold = (time: number, to: string, parts: bigint) => ({
      ...{ time, by: ANN },
      moves: [move(ANN, CYD, parts * ETHER), move(CYD, to, parts * DOLLAR, { asset: USDC })],
    });
    const spent = { time: 4_000, moves: [move(DOT, ANN, DOLLAR, { asset: USDC })] };
    const story = tellStory('ethereum', [sold(1_000, BEA, 9n), sold(2_000, DOT, 1n), spent]);
    await using api = await startApi({ reader: createMemoryReader(story) });
    const asked = { address: ANN, asset: 'native' };
    const { end } = (await (await api.post('/follow', asked)).json()) as HopsAnswer & SwapAnswer;
    expect(end).toMatchObject({ reason: 'dex_swap', address: BEA_SHOWN, output: { recipient: BEA_SHOWN } });
    const [{ since, output } = {}] = end.others;
    const question = { address: output?.recipient, asset: output?.address, since };
    const onward = await (await api.post('/follow', question)).json();
    expect(onward).toMatchObject({ start: DOT, hops: [{ from: DOT, to: ANN_SHOWN, amount: 1 }] });
  });

  test('of a resting wallet says what little left it, which can be sent back to go on', async () => {
    const story = tellStory('ethereum', [
      { time: 1_000, moves: [move(ANN, BEA, 100n * ETHER)] },
      { time: 2_000, hash: '0xbb', moves: [move(BEA, DOT, 3n * ETHER)] },
      { time: 3_000, moves: [move(DOT, CYD, 3n * ETHER)] },
      { time: 3_001, moves: [move(DOT, ANN, 50n * ETHER)] },
    ]);
    await using api = await startApi({ reader: createMemoryReader(story) });
    const { end } = (await (await api.post('/follow', { address: ANN })).json()) as HopsAnswer;
    const [other] = end.others;
    const told = { from: BEA_SHOWN, to: DOT, amount: 3, since: 2_000, signature: '0xbb', to_label: null };
    expect(end).toMatchObject({ reason: 'at_rest', holding: 97, branches: [], others: [told] });
    const { to: address, from: counterparty, since, amount } = other ?? {};
    const onward = await (await api.post('/follow', { address, counterparty, since, amount })).json();
    expect(onward).toMatchObject({ hops: [{ from: DOT, amount: 3, share: 1 }] });
  });

  test('of a bridge says where the money came out, and that can be sent back to go on there', async () => {
    const paid = tellStory('ethereum', [{ time: 1_000, moves: [move(ANN, BEA, ETHER)] }]);
    const out = tellStory('base', [
      { time: 1_500, hash: '0xout', moves: [move(CYD, ANN, ETHER)] },
      { time: 1_600, moves: [move(ANN, DOT, ETHER)] },
    ]);
    const label = { name: 'Gate', kind: 'bridge' as const };
    const labels = new Map([BEA, CYD].map((address) => [address, label]));
    await using api = await startApi({ reader: createMemoryReader([...paid, ...out], { labels }) });
    const { end } = (await (await api.post('/follow', { address: ANN })).json()) as BridgeAnswer;
    expect(end).toMatchObject({
      reason: 'bridge',
      output: {
        ...{ chain: 'base', address: ANN_SHOWN, amount: 1, signature: '0xout', since: 1_500 },
        ...{ asset: { symbol: 'ETH', address: 'native', decimals: 18 }, by: 'beneficiary', confidence: 0.99 },
      },
    });
    const { chain, address, since, amount, asset } = end.output;
    const question = { chain, address, since, amount, asset: asset.address };
    const onward = await (await api.post('/follow', question)).json();
    expect(onward).toMatchObject({ chain: 'base', hops: [{ to: DOT, amount: 1 }] });
  });

  test('of a bridge, backward, says who put the money in, and that can be sent back to go on before it', async () => {
    const told = {
      ...({ bridge: 'across', messageId: '1:7', from: ANN, to: DOT } as const),
      asset: 'native',
    };
    const put = tellStory('ethereum', [
      { time: 900, hash: '0xcyd', moves: [move(CYD, ANN, ETHER)] },
      {
        ...{ time: 1_000, hash: '0xin', moves: [move(ANN, BEA, ETHER)] },
        crossings: [{ ...told, side: 'deposit', farChain: 'base', amountRaw: ETHER }],
      },
    ]);
    const out = tellStory('base', [
      {
        ...{ time: 1_500, moves: [move(BEA, DOT, ETHER)] },
        crossings: [{ ...told, side: 'delivery', farChain: 'ethereum', amountRaw: ETHER }],
      },
    ]);
    const labels = new Map([[BEA, { name: 'Gate', kind: 'bridge' as const }]]);
    await using api = await startApi({ reader: createMemoryReader([...put, ...out], { labels }) });
    const asked = { chain: 'base', address: DOT, backward: true };
    const { end } = (await (await api.post('/follow', asked)).json()) as BridgeAnswer;
    expect(end.output).toMatchObject({
      ...{ chain: 'ethereum', address: ANN_SHOWN, amount: 1, signature: '0xin', until: 1_000, by: 'id' },
    });
    const { chain, address, until, asset } = end.output;
    const question = { chain, address, until, asset: asset.address, backward: true };
    const before = await (await api.post('/follow', question)).json();
    expect(before).toMatchObject({
      chain: 'ethereum',
      hops: [{ to: ANN_SHOWN, amount: 1, signature: '0xcyd' }],
    });
  });

  test('read backward names payers, and their labels', async () => {
    const { kind, name } = { name: 'Some Exchange', kind: 'exchange' as const };
    const paid = tellStory('ethereum', [
      { time: 1_000, moves: [move(CYD, BEA, ETHER)] },
      { time: 2_000, hash: '0xlast', moves: [move(BEA, ANN, ETHER)] },
    ]);
    const reader = createMemoryReader(paid, { labels: new Map([[CYD, { name, kind }]]) });
    await using api = await startApi({ reader });
    const answer = await (await api.post('/follow', { address: ANN, backward: true, until: 2_000 })).json();
    expect(answer).toMatchObject({
      hops: [
        { from: BEA_SHOWN, to: ANN_SHOWN, from_label: null, signature: '0xlast' },
        { to: BEA_SHOWN, from_label: { name, kind } },
      ],
      end: { reason: 'exchange', detail: 'The money came from Some Exchange, an exchange.' },
    });
  });

  test('about a wallet nobody has seen is 200 with no_data', async () => {
    await using api = await startApi();
    const response = await api.post('/follow', { address: SYSTEM_PROGRAM });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      chain: 'solana',
      start: SYSTEM_PROGRAM,
      hops: [],
      end: { reason: 'no_data', address: SYSTEM_PROGRAM, holding: null },
    });
  });
});
