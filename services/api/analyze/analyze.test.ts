import { expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import type { Label } from '../../investigate/model/label.ts';
import type { ProfileReader } from '../../investigate/model/profile-reader.ts';
import type { Service } from '../../investigate/model/trace-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { createMemoryProfileReader } from '../../testing/memory/memory-profile-reader.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { readWhenAsked } from '../../testing/read-when-asked.ts';
import { startApi } from '../../testing/start-api.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const ANN_SHOWN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const [BEA, POOL, DESK] = ['b', '1', '2'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const ETHER = 10n ** 18n;
const DOLLAR = 1_000_000n;
const NOW = 1_700_000_000;
const hash = (digit: string): string => `0x${digit.repeat(64)}`;

const steps: StoryStep[] = [
  { time: NOW - 9_000, hash: hash('1'), moves: [move(DESK, BEA, 9n * ETHER)] },
  { time: NOW - 8_000, hash: hash('2'), moves: [move(BEA, ANN, 5n * ETHER)] },
  { time: NOW - 7_000, hash: hash('3'), moves: [move(ANN, POOL, ETHER)] },
  { time: NOW - 6_000, hash: hash('4'), moves: [move(ANN, DESK, 25n * DOLLAR, { asset: USDC })] },
  { time: NOW - 5_000, hash: hash('5'), moves: [move(DESK, ANN, ETHER), move(DESK, ANN, ETHER)] },
];
const blocks = tellStory('ethereum', steps);
const labels = new Map<string, Label>([
  [POOL, { name: 'Mix 1 ETH', kind: 'mixer' }],
  [DESK, { name: 'Desk 1', kind: 'exchange' }],
]);
const services = new Map<string, Service>([
  [POOL, { entity: 'Mix', kind: 'mixer' }],
  [DESK, { entity: 'Desk', kind: 'exchange' }],
]);
const known = { labels, services };

type Answer = {
  identity: { type: string | null };
  connections: { transfers: Record<string, unknown>[] }[];
  meta: { scope: string; charged: number; transactions_read: number };
};

const open = async (
  profileReader: ProfileReader = createMemoryProfileReader(blocks, known),
  more: object = {},
) => {
  const clock = { nowUnixMs: () => NOW * 1_000 };
  const directory = new Directory();
  const key = issueKey(directory, { atUnixMs: 0 });
  const ledger = createMemoryLedger(clock);
  const plan = {
    type: 'ChangePlan',
    id: 'p',
    plan: 'free',
    cycle: 'monthly',
    paidUntilUnixMs: null,
  } as const;
  await ledger.submit('account:a', plan);
  const traceReader = createMemoryTraceReader(blocks, known);
  const billing = { ledger, directory, isOpen: () => false };
  const api = await startApi({ profileReader, traceReader, clock, billing, ...more });
  const bearer = { authorization: `Bearer ${key}` };
  return {
    ask: (body: unknown, headers: Record<string, string> = bearer) => api.post('/analyze', body, headers),
    trace: (body: unknown) => api.post('/trace', body, bearer),
    [Symbol.asyncDispose]: () => api.close({ graceMs: 0 }),
  };
};

const analysesLeft = (response: Response): number =>
  (JSON.parse(response.headers.get('x-service-credits') ?? '{}') as { analyses_left: number }).analyses_left;

test('a profile tells who a wallet is, who funded it first, and whom it dealt with', async () => {
  await using service = await open();
  const answer = await (await service.ask({ address: ANN_SHOWN, chain: 'ethereum' })).json();
  expect(answer).toMatchObject({
    address: ANN_SHOWN,
    identity: { type: 'wallet', name: null, predicted: null },
    funding: {
      address: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
      amount: 5,
      amount_raw: '5000000000000000000',
      asset: 'ETH',
      signature: hash('2'),
      chain: [{}, { label: { name: 'Desk 1', kind: 'exchange' }, signature: hash('1') }],
      end: 'service',
    },
    activity: {
      transactions: 4,
      transfers_in: 3,
      transfers_out: 2,
      counterparties: 3,
      first_seen: NOW - 8_000,
    },
    balances: [{ asset: { symbol: 'ETH' }, amount: 6, amount_raw: '6000000000000000000', source: 'rows' }],
    services: [
      {
        name: 'Desk',
        kind: 'exchange',
        in: { count: 2 },
        out: { count: 1, usd: 25 },
        latest: { signature: hash('5') },
      },
      { name: 'Mix', kind: 'mixer', latest: { direction: 'out', signature: hash('3') } },
    ],
    meta: { scope: 'partial', transactions_read: 4, charged: 1, index_head: NOW - 5_000 },
  });
});

test('every transfer of a connection is taken by /trace as it stands', async () => {
  await using service = await open();
  const { connections } = (await (await service.ask({ address: ANN })).json()) as Answer;
  const transfers = connections.flatMap((connection) => connection.transfers);
  expect(transfers.map(({ signature }) => signature).toSorted()).toEqual([hash('3'), hash('4'), hash('5')]);
  for (const { counterparty, signature, direction, time, sol, usd } of transfers) {
    const body = { wallet: ANN, counterparty, signature, direction, time, sol, usd };
    const traced = await service.trace(body);
    expect(traced.status).toBe(200);
    expect(await traced.json()).toMatchObject({ anchor: { verified: true } });
  }
});

test('what a service paid twice in one transaction is one transfer of the sum', async () => {
  await using service = await open();
  const { connections } = (await (await service.ask({ address: ANN })).json()) as Answer;
  const transfers = connections.flatMap((connection) => connection.transfers);
  expect(transfers.find(({ signature }) => signature === hash('5'))).toMatchObject({
    direction: 'in',
    sol: 2,
    usd: 0,
  });
});

const manyOf = (count: number): StoryStep[] =>
  Array.from({ length: count }, (_, at) => ({ time: NOW - 9_000 + at, moves: [move(BEA, ANN, 1n)] }));

test.each([
  [999, 1],
  [1_000, 1],
  [1_001, 3],
  [1_500, 3],
])('%i transactions cost %i analyses', async (count, cost) => {
  await using service = await open(createMemoryProfileReader(tellStory('ethereum', manyOf(count))));
  const response = await service.ask({ address: ANN });
  expect(response.status).toBe(200);
  expect(analysesLeft(response)).toBe(50 - cost);
  expect(await response.json()).toMatchObject({ meta: { charged: cost } });
});

test('an address of which only labels are known costs nothing', async () => {
  const reader = createMemoryProfileReader(blocks, {
    labels: new Map([[hash('9').slice(0, 42), { name: 'Somebody', kind: 'sanctioned' as const }]]),
  });
  await using service = await open(reader);
  const response = await service.ask({ address: hash('9').slice(0, 42) });
  expect(analysesLeft(response)).toBe(50);
  expect(await response.json()).toMatchObject({
    identity: { type: 'sanctioned', name: 'Somebody' },
    activity: null,
    meta: { scope: 'database', charged: 0 },
  });
});

test('an address that nobody knows has no type, and is asked for where its chain can be read', async () => {
  const asked: string[][] = [];
  const backfills = () => ({ canBackfill: () => true, lastBackfill: () => null });
  const reader = createMemoryProfileReader(blocks, { ...known, indexedSince: NOW - 9_000 });
  await using service = await open(reader, {
    backfills,
    askForWallet: async (chain: string, { address }: { address: string }) => {
      asked.push([chain, address]);
      return { withinSeconds: 10 };
    },
  });
  const response = await service.ask({ address: hash('7').slice(0, 42) });
  expect(await response.json()).toMatchObject({
    identity: { type: null },
    meta: { scope: 'database', detail: expect.stringContaining('being read'), charged: 0 },
  });
  expect(asked).toEqual([['ethereum', hash('7').slice(0, 42)]]);
});

test('a wallet that is not indexed is read while the call waits, and its profile costs one analysis', async () => {
  const since = { ...known, indexedSince: NOW - 1_000 };
  const { asked, ports, overrides } = readWhenAsked(
    { reader: createMemoryProfileReader([], since) },
    { reader: createMemoryProfileReader(blocks, since) },
    NOW,
  );
  await using service = await open(ports.reader, overrides);
  const response = await service.ask({ address: ANN });
  const { meta, activity } = (await response.json()) as Answer & { activity: object };
  expect(activity).toMatchObject({ transactions: 4, first_seen: NOW - 8_000 });
  expect(meta).toMatchObject({ charged: 1, detail: expect.not.stringContaining('being read') });
  expect(asked).toEqual([['ethereum', ANN]]);
  expect(analysesLeft(response)).toBe(49);
});

test.each<[field: string, body: object]>([
  ['address', {}],
  ['address', { address: 7 }],
  ['address', { address: `${ANN}0` }],
  ['address', { address: '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
  ['address', { address: ANN, chain: 'solana' }],
  ['chain', { address: ANN, chain: 'bitcoin' }],
  ['max_hops', { address: ANN, max_hops: 3 }],
])('a wrong %s is refused before who asks is known (%j)', async (field, body) => {
  await using service = await open();
  const response = await service.ask(body, {});
  expect(response.status).toBe(400);
  const { fields } = (await response.json()) as { fields: { path: string }[] };
  expect(fields.map(({ path }) => path)).toContain(field);
});

test('who may not call costs no question of the tables', async () => {
  const reader = createMemoryProfileReader(blocks, known);
  const never = () => Promise.reject(new Error('nobody is to be asked'));
  await using service = await open({ ...reader, transactionCount: never });
  expect((await service.ask({ address: ANN }, {})).status).toBe(401);
});

test('a call whose tables cannot be read costs nothing', async () => {
  const reader = createMemoryProfileReader(blocks, known);
  await using service = await open({
    ...reader,
    entries: () => Promise.reject(new ReadFailedError('unavailable')),
  });
  const response = await service.ask({ address: ANN });
  expect([response.status, analysesLeft(response)]).toEqual([503, 50]);
});

test('rows that do not come in time make the profile partial, and what else is known is told', async () => {
  const reader = createMemoryProfileReader(blocks, known);
  await using service = await open({
    ...reader,
    entries: () => Promise.reject(new ReadFailedError('timeout')),
    firstFunding: () => Promise.reject(new ReadFailedError('timeout')),
  });
  expect(await (await service.ask({ address: ANN })).json()).toMatchObject({
    activity: { transactions: 4, usd_in: null },
    connections: [],
    meta: { scope: 'partial', detail: expect.stringContaining('rows, funding'), complete: false },
  });
});

test('sums that do not come in time are an error, not an empty profile', async () => {
  const reader = createMemoryProfileReader(blocks, known);
  await using service = await open({
    ...reader,
    summary: () => Promise.reject(new ReadFailedError('timeout')),
  });
  const response = await service.ask({ address: ANN });
  expect([response.status, analysesLeft(response)]).toEqual([504, 50]);
});

test('a risk tells null where nothing moved that has a price, and 0 where nothing was found', async () => {
  await using service = await open();
  const answer = (await (await service.ask({ address: ANN })).json()) as { risk: object };
  expect(answer.risk).toMatchObject({
    level: 'none',
    score: 0,
    exposure: {
      in: null,
      out: {
        exchange: { usd: 25, share: 1, min_hops: 1 },
        hack: { usd: 0, share: 0, min_hops: null },
        unattributed: { share: 0 },
      },
    },
  });
});

test('every signal can be read with its weight and meaning, by anybody', async () => {
  await using api = await startApi();
  const response = await fetch(`${api.url}/signals`);
  const { signals } = (await response.json()) as { signals: { code: string; weight: number }[] };
  expect(response.status).toBe(200);
  expect(signals.length).toBeGreaterThan(10);
  expect(new Set(signals.map(({ code }) => code)).size).toBe(signals.length);
});
