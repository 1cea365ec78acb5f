import { describe, expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { createMemoryControlReader } from '../../testing/memory/memory-control-reader.ts';
import { createMemoryFunderReader } from '../../testing/memory/memory-funder-reader.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { createMemoryTokenReader } from '../../testing/memory/memory-token-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
// Examples of EIP-55, so that the checksummed forms are known from elsewhere.
const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const TOKEN = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const ANN_SHOWN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TOKEN_SHOWN = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const CREATOR = `0x${'1'.repeat(40)}`;
const CURVE = `0x${'2'.repeat(40)}`;
const NOTHING = `0x${'9'.repeat(40)}`;
const T = 1_690_000_000;

const blocks = tellStory('ethereum', [
  { time: T - 900, hash: '0xf0', moves: [move(CREATOR, ANN, 10n ** 18n)] },
  {
    ...{ time: T, hash: '0xaa', by: CREATOR },
    moves: [move(null, CURVE, 1_000n, { asset: TOKEN, kind: 'mint' })],
  },
  {
    ...{ time: T + 40, hash: '0xbb', by: ANN },
    moves: [move(ANN, CURVE, 5_000_000n, { asset: USDC }), move(CURVE, ANN, 100n, { asset: TOKEN })],
    swaps: [
      { owner: ANN, gaveAsset: USDC, gaveRaw: 5_000_000n, gotAsset: TOKEN, gotRaw: 100n, through: CURVE },
    ],
  },
]);

const open = async (credits = 10) => {
  const clock = { nowUnixMs: () => 1_700_000_000_000 };
  const directory = new Directory();
  const key = issueKey(directory);
  const ledger = createMemoryLedger(clock);
  if (credits > 0) await ledger.submit('account:a', { type: 'AddCredits', id: 'pack', credits });
  const api = await startApi({
    tokens: createMemoryTokenReader(blocks),
    cases: createMemoryCaseReader(blocks),
    funders: createMemoryFunderReader(blocks),
    reader: createMemoryReader(blocks),
    clock,
    billing: { ledger, directory, isOpen: () => false },
  });
  return {
    insiders: (body: unknown) => api.post('/insiders', body, { authorization: `Bearer ${key}` }),
    left: () => ledger.balance('account:a').packCredits,
    [Symbol.asyncDispose]: () => api.close({ graceMs: 0 }),
  };
};

test('the answer names creator, launch and insiders, each with the transactions that show it', async () => {
  await using service = await open();
  const response = await service.insiders({ token: TOKEN_SHOWN });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    chain: 'ethereum',
    token: { address: TOKEN_SHOWN, supply_raw: '1000', holders: 2 },
    creator: { address: CREATOR, funder: null },
    launch: { signature: '0xaa', time: T, venue: CURVE, venue_kind: 'launchpad' },
    insiders: [
      { address: CREATOR, kinds: ['creator'], links: [{ kind: 'creator', signatures: ['0xaa'] }] },
      {
        ...{
          address: ANN_SHOWN,
          kinds: ['creator_funded', 'top_holder'],
          share_bought: 0.1,
          share_held: 0.1,
        },
        ...{ bought_raw: '100', held_raw: '100', bought_usd: 5, sold_usd: 0, profit_usd: -5 },
        ...{ first_buy: T + 40, links: [{ with: CREATOR, signatures: ['0xf0'] }] },
      },
    ],
    groups: [{ funder: CREATOR, members: [ANN_SHOWN], share_held: 0.1 }],
    totals: { insiders: 2, early_buyers: 1 },
    why_none: null,
    meta: { scope: 'full', detail: null, window: 60 },
  });
});

describe('what it costs', () => {
  test('two credits, and nothing where the data never names the token', async () => {
    await using service = await open();
    const nothing = await service.insiders({ token: NOTHING });
    expect(await nothing.json()).toMatchObject({ insiders: [], launch: null, meta: { scope: 'no_data' } });
    expect(service.left()).toBe(10);
    await service.insiders({ token: TOKEN });
    expect(service.left()).toBe(8);
  });

  test('nobody who cannot pay gets an answer', async () => {
    await using service = await open(1);
    expect((await service.insiders({ token: TOKEN })).status).toBe(402);
  });
});

test.each([
  [{ token: 'x' }, 'token'],
  [{ token: USDC }, 'token'],
  [{ token: TOKEN, chain: 'solana' }, 'token'],
  [{ token: TOKEN, window: 3_601 }, 'window'],
  [{ token: TOKEN, window: 0 }, 'window'],
  [{ token: TOKEN, limit: 9 }, 'limit'],
  [{}, 'token'],
])('a wrong body is refused by the field that is wrong and costs nothing: %j', async (body, field) => {
  await using service = await open();
  const response = await service.insiders(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ fields: [{ path: field }] });
  expect(service.left()).toBe(10);
});

test('a token whose launch is not indexed is read from its chain within the call, and named as the index would', async () => {
  const asked: unknown[] = [];
  const windows: ListedWindow[] = [];
  const controls = createMemoryControlReader(
    tellStory('ethereum', [
      {
        ...{ time: T, hash: '0xaa', by: CREATOR, moves: [] },
        controls: [{ kind: 'contract_created', subject: TOKEN, holder: CREATOR }],
      },
    ]),
  );
  const parts = {
    tokens: createMemoryTokenReader(blocks),
    cases: createMemoryCaseReader(blocks),
    funders: createMemoryFunderReader(blocks),
    controls,
  };
  await using api = await startApi({
    ...parts,
    reader: createMemoryReader(blocks, { indexedSince: T + 10 }),
    waitForWalletsMs: 60_000,
    backfills: () => {
      const known = [...windows];
      const ended = { number: known.length, readAtUnixSeconds: T + 900, coverage: 'complete' };
      return {
        ...{ canBackfill: () => true, lastBackfill: () => null, windows: () => known },
        lastReading: () => (known.length > 0 ? ended : null),
      };
    },
    askForWallet: async (_, wanted) => {
      asked.push(wanted);
      windows.push({
        ...{ chain: 'ethereum', address: TOKEN, kinds: ['emitted'], asset: null, first: 0, last: T + 900 },
        ...{ lastUnixSeconds: T + 900, source: 'evm-node', proof: 'listed', reason: null },
        ...{ transactions: 2, readAtUnixSeconds: T + 900 },
      });
      return { withinSeconds: 1 };
    },
  });
  const body = { token: TOKEN, chain: 'ethereum' };
  const answer = (await (await api.post('/insiders', body)).json()) as { launch: object; insiders: object[] };
  expect(asked).toMatchObject([{ address: TOKEN, side: 'emitted', order: 'oldest', first: null }]);
  await using indexed = await startApi({ ...parts, reader: createMemoryReader(blocks) });
  const whole = (await (await indexed.post('/insiders', body)).json()) as { launch: object };
  expect(answer.launch).toEqual(whole.launch);
  expect(answer.insiders).not.toEqual([]);
});
