import { describe, expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import type { Backfills } from '../../investigate/model/backfills.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { createMemoryControlReader } from '../../testing/memory/memory-control-reader.ts';
import { createMemoryFunderReader } from '../../testing/memory/memory-funder-reader.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { readWhenAsked } from '../../testing/read-when-asked.ts';
import { startApi } from '../../testing/start-api.ts';
import type { VictimsAnswer } from './answer.ts';
import { LOSS_COLUMNS } from './loss-rows.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
// Examples of EIP-55, so that the checksummed forms are known from elsewhere.
const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const THIEF = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const ANN_SHOWN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const THIEF_SHOWN = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const OPERATOR = `0x${'1'.repeat(40)}`;
const NOBODY = `0x${'9'.repeat(40)}`;
const T = 1_690_000_000;

const blocks = tellStory('ethereum', [
  {
    ...{ time: T, hash: '0xaa', by: OPERATOR },
    moves: [move(ANN, THIEF, 1_500_000n, { asset: USDC, authority: OPERATOR })],
  },
]);

/** The API over one theft; `credits` in the account. */
const open = async (credits = 10, overrides: Parameters<typeof startApi>[0] = {}) => {
  const clock = { nowUnixMs: () => 1_700_000_000_000 };
  const directory = new Directory();
  const key = issueKey(directory);
  const ledger = createMemoryLedger(clock);
  if (credits > 0) await ledger.submit('account:a', { type: 'AddCredits', id: 'pack', credits });
  const api = await startApi({
    cases: createMemoryCaseReader(blocks),
    funders: createMemoryFunderReader(blocks),
    controls: createMemoryControlReader(blocks),
    reader: createMemoryReader(blocks, {
      labels: new Map([[ANN, { name: '=ann, "a shop"', kind: 'other' }]]),
    }),
    clock,
    billing: { ledger, directory, isOpen: () => false },
    ...overrides,
  });
  return {
    victims: (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      api.post('/victims', body, { authorization: `Bearer ${key}`, ...headers }),
    left: () => ledger.balance('account:a').packCredits,
    [Symbol.asyncDispose]: () => api.close({ graceMs: 0 }),
  };
};

test('the answer has the fields of the decision record, and an exact amount beside every amount', async () => {
  await using service = await open();
  const response = await service.victims({ address: THIEF_SHOWN });
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({
    chain: 'ethereum',
    address: THIEF_SHOWN,
    label: null,
    victims: [
      {
        address: ANN_SHOWN,
        label: { name: '=ann, "a shop"', kind: 'other' },
        losses: [
          {
            asset: { symbol: 'USDC', address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
            ...{ amount: 1.5, amount_raw: '1500000', received: 1.5, received_raw: '1500000' },
            ...{ refunded: 0, refunded_raw: '0', usd: 1.5, usd_source: 'peg' },
            ...{ signature: '0xaa', time: T, method: 'approval', intended: null },
          },
        ],
        ...{ usd: 1.5, refunded_usd: 0, first: T, last: T },
      },
    ],
    refunded: [],
    affiliates: [],
    not_victims: [],
    revocable: [],
    totals: {
      ...{ victims: 1, transfers: 1, usd: 1.5, unpriced: 0 },
      ...{ refunded: 0, refunded_usd: 0, not_victims: 0, contracts: 0, contracts_usd: 0 },
    },
    meta: {
      ...{ chain: 'ethereum', scope: 'full', detail: null, transactions_read: 1 },
      ...{ data_from: T, data_to: T },
      ...{ prices: 'ready', read: [], missing: [] },
      explorer: {
        address: 'https://etherscan.io/address/{address}',
        transaction: 'https://etherscan.io/tx/{hash}',
      },
    },
    continuation: null,
  });
});

test('where not all of its history is indexed, the answer is partial and says that losses may be missing', async () => {
  const reader = createMemoryReader(blocks, { indexedSince: T });
  const scopeOf = async (overrides: Parameters<typeof open>[1], body = {}) => {
    await using service = await open(10, { reader, ...overrides });
    const response = await service.victims({ address: THIEF, ...body });
    const { meta } = (await response.json()) as VictimsAnswer;
    return [meta.scope, meta.detail];
  };
  const partial = ['partial', expect.stringContaining('losses and refunds may be missing')];
  expect(await scopeOf({})).toEqual(partial);
  expect(await scopeOf({}, { since: T })).toEqual(['full', null]);
  const backfilled = (missing: 'nothing' | 'coin') => (): Backfills => ({
    canBackfill: () => true,
    lastBackfill: () => ({ readAtUnixSeconds: T, missing }),
  });
  expect(await scopeOf({ backfills: backfilled('nothing') })).toEqual(['full', null]);
  expect(await scopeOf({ backfills: backfilled('coin') })).toEqual(partial);
});

test('a client that accepts CSV gets one row for each loss, and nothing in it runs as a formula', async () => {
  await using service = await open();
  const response = await service.victims({ address: THIEF }, { accept: 'text/csv' });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, row] = (await response.text()).split('\r\n');
  expect(head?.split(',')).toEqual(LOSS_COLUMNS);
  expect(row).toContain(`${ANN_SHOWN},"'=ann, ""a shop""",0xaa,${T},approval,USDC,`);
});

describe('what it costs', () => {
  test('three credits, and nothing where the data names the address nowhere', async () => {
    await using service = await open();
    const nothing = await service.victims({ address: NOBODY });
    expect(await nothing.json()).toMatchObject({
      victims: [],
      meta: {
        scope: 'no_data',
        detail: 'No transaction that names it is indexed: whom it robbed is not known.',
      },
    });
    expect(service.left()).toBe(10);
    await service.victims({ address: THIEF });
    expect(service.left()).toBe(7);
  });

  test('nobody who cannot pay gets an answer', async () => {
    await using service = await open(2);
    expect((await service.victims({ address: THIEF })).status).toBe(402);
    const noKey = await service.victims({ address: THIEF }, { authorization: '' });
    expect(noKey.status).toBe(401);
  });
});

test.each([
  [{ address: 'x' }, 'address'],
  [{ address: THIEF, chain: 'solana' }, 'address'],
  [{ address: THIEF, chain: 'nowhere' }, 'chain'],
  [{ address: THIEF, limit: 1_001 }, 'limit'],
  [{ address: THIEF, since: 9, until: 8 }, 'until'],
  [{ address: THIEF, since: 2_000_000_000 }, 'since'],
  [{ address: THIEF, window: 9 }, 'window'],
  [{}, 'address'],
])('a wrong body is refused by the field that is wrong and costs nothing: %j', async (body, field) => {
  await using service = await open();
  const response = await service.victims(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ fields: [{ path: field }] });
  expect(service.left()).toBe(10);
});

test.each([
  ['not indexed', []],
  ['known only by what somebody else did', [{ time: T - 9, moves: [move(ANN, THIEF, 7n)] }]],
])('an address that is %s is read while the call waits, and is charged once', async (_, story) => {
  const portsOf = (known: typeof blocks, indexedSince = 0) => ({
    cases: createMemoryCaseReader(known),
    reader: createMemoryReader(known, { indexedSince }),
  });
  const before = portsOf(tellStory('ethereum', story), T);
  const { asked, ports, overrides } = readWhenAsked(before, portsOf(blocks), T);
  await using service = await open(10, { ...ports, ...overrides });
  const answer = (await (await service.victims({ address: THIEF })).json()) as { victims: object[] };
  expect(answer.victims).toMatchObject([{ address: ANN_SHOWN, usd: 1.5 }]);
  expect(asked).toEqual([['ethereum', THIEF]]);
  expect(service.left()).toBe(7);
});

test('the payer of an unlisted token is read, too: who has used it before was robbed of it', async () => {
  const token = { asset: `0x${'7'.repeat(40)}` };
  const theft: StoryStep = {
    ...{ time: T, by: OPERATOR },
    moves: [move(ANN, THIEF, 5n, { ...token, authority: OPERATOR })],
  };
  const used: StoryStep = { time: T - 900, by: ANN, moves: [move(ANN, NOBODY, 1n, token)] };
  const portsOf = (story: readonly StoryStep[]) => {
    const told = tellStory('ethereum', story);
    return {
      cases: createMemoryCaseReader(told),
      funders: createMemoryFunderReader(told),
      controls: createMemoryControlReader(told),
      reader: createMemoryReader(told, { indexedSince: T + 900 }),
    };
  };
  const { asked, ports, overrides } = readWhenAsked(portsOf([theft]), portsOf([used, theft]), T + 950);
  const backfills = () => {
    const { lastBackfill, ...rest } = overrides.backfills();
    const whole = { readAtUnixSeconds: T + 950, missing: 'nothing' } as const;
    return {
      ...rest,
      lastBackfill: (_: string, wallet: string) => (wallet === THIEF ? whole : lastBackfill()),
    };
  };
  await using service = await open(10, { ...ports, ...overrides, backfills });
  const answer = (await (await service.victims({ address: THIEF })).json()) as VictimsAnswer;
  expect(asked).toEqual([['ethereum', ANN]]);
  expect(answer.victims).toMatchObject([{ address: ANN_SHOWN, losses: [{ amount_raw: '5' }] }]);
});
