import { expect, test } from 'vitest';
import { CHAINS } from '../../investigate/model/chain.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { startApi } from '../../testing/start-api.ts';
import { txAnswer } from './answer.ts';

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const [ANN, BEA, SHOP] = ['a', 'b', '5'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const [SENT, OTHER] = ['1', '2'].map((digit) => `0x${digit.repeat(64)}`) as [string, string];
const blocks = tellStory('base', [
  {
    ...{ time: 1_000, hash: SENT, by: ANN },
    moves: [move(ANN, BEA, 10n ** 18n + 1n), move(ANN, SHOP, 59_000_000n, { asset: USDC })],
  },
]);
const labels = new Map([[SHOP, { name: 'Alder', kind: 'exchange' as const }]]);
const startWith = () =>
  startApi({
    traceReader: createMemoryTraceReader(blocks, { labels }),
    chains: CHAINS.map(({ name }) => name),
  });

test('a hash tells what it moved, exactly, with labels and dollars, on whichever chain has it', async () => {
  await using api = await startWith();
  for (const body of [
    { hash: SENT },
    { hash: SENT, chain: 'base' },
    { hash: SENT.toUpperCase().replace('X', 'x') },
  ]) {
    const response = await api.post('/tx', body);
    expect(response.status).toBe(200);
    const answer = txAnswer.strict().parse(await response.json());
    expect(answer).toMatchObject({ chain: 'base', hash: SENT, time: 1_000, block: 1_000 });
    expect(answer.sender?.toLowerCase()).toBe(ANN);
    expect(answer.movements).toMatchObject([
      { asset: { symbol: 'ETH', address: null }, amount_raw: '1000000000000000001', to_label: null },
      { asset: { symbol: 'USDC' }, amount: 59, usd: 59, to_label: { name: 'Alder', kind: 'exchange' } },
    ]);
    expect(answer.meta).toMatchObject({
      ...{ scope: 'full', detail: null, prices: 'ready' },
      explorer: { transaction: 'https://basescan.org/tx/{hash}' },
    });
  }
});

test('a transaction that is not indexed is no_data and says so; what is no hash is refused by name', async () => {
  await using api = await startWith();
  const unknown = await (await api.post('/tx', { hash: OTHER })).json();
  expect(unknown).toMatchObject({ movements: [], time: null, meta: { scope: 'no_data' } });
  const refused = await api.post('/tx', { hash: ANN });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ fields: [{ path: 'hash' }] });
});

test.each([
  ['/follow', 'address'],
  ['/analyze', 'address'],
  ['/victims', 'address'],
  ['/insiders', 'token'],
  ['/follow', 'counterparty', { address: ANN, chain: 'base' }],
  ['/trace', 'wallet', { chain: 'base', signature: SENT, direction: 'out', counterparty: ANN }],
  ['/trace', 'counterparty', { chain: 'base', signature: SENT, direction: 'out', wallet: ANN }],
])(
  '%s that is given a hash as %s refuses it and says where a hash is answered, which is free',
  async (path, field, more: object = {}) => {
    await using api = await startWith();
    const solana = `${'1'.repeat(63)}2`;
    for (const hash of [SENT, solana]) {
      const response = await api.post(path, { ...more, [field]: hash });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        fields: [{ path: field, message: expect.stringContaining('POST /tx') }],
      });
      expect((await api.post('/tx', { hash })).status).toBe(200);
    }
  },
);
