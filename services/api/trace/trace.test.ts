import { describe, expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import { type Backfills, NO_BACKFILLS } from '../../investigate/model/backfills.ts';
import type { Service, TraceReader } from '../../investigate/model/trace-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { readWhenAsked } from '../../testing/read-when-asked.ts';
import { startApi } from '../../testing/start-api.ts';
import type { AskForWallet } from '../asking/ask-in-time.ts';

const T = 1_699_000_000;
const NOW = 1_700_000_000;
const NOTE = 10n ** 18n;
// Examples of EIP-55, so that the checksummed forms are known from elsewhere.
const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const [ANN_SHOWN, BEA_SHOWN] = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
];
const POOL = `0x${'1'.repeat(40)}`;
const CYD = `0x${'2'.repeat(40)}`;
const DESK = `0x${'3'.repeat(40)}`;
const TOKEN = `0x${'4'.repeat(40)}`;
const hash = (digit: string): string => `0x${digit.repeat(64)}`;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

const deposit: StoryStep = { time: T, hash: hash('a'), moves: [move(ANN, POOL, NOTE)] };
const steps: readonly StoryStep[] = [
  deposit,
  { time: T + 50, hash: hash('9'), moves: [move(ANN, POOL, NOTE, { asset: TOKEN })] },
  { time: T + 100, hash: hash('b'), moves: [move(ANN, BEA, NOTE / 100n)] },
  { time: T + 900, hash: hash('c'), moves: [move(POOL, CYD, NOTE)] },
  { time: T + 7_200, hash: hash('d'), moves: [move(POOL, BEA, NOTE)] },
  { time: T + 90_000, moves: [move(CYD, BEA, 1n)] },
];
const services = new Map<string, Service>([
  [POOL, { entity: 'Mix', kind: 'mixer' }],
  [DESK, { entity: 'Desk', kind: 'exchange' }],
]);
const readerOf = (story: readonly StoryStep[]): TraceReader =>
  createMemoryTraceReader(tellStory('ethereum', story), { services });
const good = {
  ...{ wallet: ANN_SHOWN, counterparty: POOL, signature: hash('a'), direction: 'out' },
  ...{ time: T, sol: 1, usd: 0 },
};

/** Promises every history, and notes whose. */
const askNoting =
  (asked: string[][]): AskForWallet =>
  async (chain, { address }) => {
    asked.push([chain, address]);
    return { withinSeconds: 10 };
  };

type Refusal = { error: string; code: string; fields?: { path: string }[] };

/** The API with one account on the free plan and one key. */
const open = async (
  traceReader: TraceReader = readerOf(steps),
  askForWallet: AskForWallet = async () => null,
  backfills: Backfills = NO_BACKFILLS,
  overrides: Parameters<typeof startApi>[0] = {},
) => {
  const clock = { nowUnixMs: () => NOW * 1_000 };
  const directory = new Directory();
  const key = issueKey(directory);
  const ledger = createMemoryLedger(clock);
  const change = {
    type: 'ChangePlan',
    id: 'p',
    plan: 'free',
    cycle: 'monthly',
    paidUntilUnixMs: null,
  } as const;
  await ledger.submit('account:a', change);
  const api = await startApi({
    traceReader,
    askForWallet,
    backfills: () => backfills,
    clock,
    billing: { ledger, directory, isOpen: () => false },
    ...overrides,
  });
  const bearer = { authorization: `Bearer ${key}` };
  const trace = (body: unknown = good, headers: Readonly<Record<string, string>> = bearer) =>
    api.post('/trace', body, headers);
  return { trace, [Symbol.asyncDispose]: () => api.close({ graceMs: 0 }) };
};

const tracesLeft = (response: Response): number =>
  JSON.parse(response.headers.get('x-service-credits') ?? '{}').traces_left;

describe('the answer', () => {
  test('has the fields of the specification, in whole units and EIP-55 addresses, best first', async () => {
    await using service = await open();
    const response = await service.trace();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const answer = (await response.json()) as { candidates: { confidence: number }[] };
    expect(answer).toEqual({
      entity: 'Mix',
      kind: 'mixer',
      direction: 'forward',
      anchor: {
        ...{ signature: hash('a'), amount: 1, amount_raw: String(NOTE), asset: 'ETH', time: T },
        ...{ verified: true, corrections: [] },
      },
      window: {
        ...{ from: T, to: T + 86_400, searched: [POOL], searched_total: 1 },
        ...{ transactions: 2, complete: true },
      },
      anonymity_set: 2,
      excluded: 0,
      candidates: [
        {
          address: BEA_SHOWN,
          ...{ signature: hash('d'), amount: 1, amount_raw: String(NOTE), asset: 'ETH' },
          ...{ time: T + 7_200, delta_seconds: 7_200 },
          ...{ tier: 'likely', confidence: expect.any(Number), via: null, label: null, same_wallet: false },
          evidence: [
            {
              family: 'gas_by_depositor',
              detail: expect.stringContaining('depositor'),
              signatures: [hash('b')],
              transactions: [
                {
                  ...{ signature: hash('b'), time: T + 100, asset: 'ETH' },
                  ...{ amount: 0.01, amount_raw: String(NOTE / 100n) },
                },
              ],
            },
          ],
          ...{ crowd: 2, transfers: 1, first_seen: T + 100 },
        },
        expect.objectContaining({ address: CYD, tier: 'strong', evidence: [] }),
      ],
      candidates_total: 2,
      continuation: null,
      meta: {
        ...{ chain: 'ethereum', scope: 'full', detail: null },
        ...{ data_from: T, data_to: T + 90_000, index_head: T + 90_000 },
        calibration: expect.any(String),
        read: [],
        missing: [],
        explorer: {
          address: 'https://etherscan.io/address/{address}',
          transaction: 'https://etherscan.io/tx/{hash}',
        },
      },
    });
    const [best, next] = answer.candidates.map(({ confidence }) => confidence);
    expect(best).toBeGreaterThan(0.5);
    expect(next).toBeLessThanOrEqual(1 / 2);
  });

  test('backward is told from the withdrawal', async () => {
    await using service = await open();
    const body = { ...good, wallet: BEA, signature: hash('d'), direction: 'in', time: T + 7_200 };
    expect(await (await service.trace(body)).json()).toMatchObject({
      direction: 'backward',
      candidates: [{ address: ANN_SHOWN, delta_seconds: -7_200 }],
    });
  });

  test('of dollars that no table knows is anchored in dollars, and says that it is not verified', async () => {
    const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    const paid = { time: T + 60, moves: [move(POOL, CYD, 25_000_000n, { asset: usdc })] };
    await using service = await open(readerOf([paid, ...steps.slice(2)]));
    const answer = await (await service.trace({ ...good, sol: 0, usd: 25 })).json();
    expect(answer).toMatchObject({
      anchor: { amount: 25, asset: 'USD', verified: false },
      candidates: [{ address: CYD, amount: 25, asset: 'USDC' }],
      meta: { scope: 'partial' },
    });
  });
});

describe('what a trace costs', () => {
  test('one trace of the plan, and the answer says what is left', async () => {
    await using service = await open();
    expect(tracesLeft(await service.trace())).toBe(9);
  });

  test('nothing where the request cannot be traced, or the tables cannot be read', async () => {
    const broken = {
      ...readerOf(steps),
      serviceTransfers: () => Promise.reject(new ReadFailedError('timeout')),
    };
    await using service = await open(broken);
    expect(tracesLeft(await service.trace({ ...good, counterparty: CYD }))).toBe(10);
    const failed = await service.trace();
    expect(failed.status).toBe(504);
    expect(tracesLeft(failed)).toBe(10);
  });

  test('nothing where nothing is indexed: the answer is no_data, not an empty success', async () => {
    await using service = await open();
    const unknown = { ...good, wallet: CYD, signature: hash('e'), sol: 7.7 };
    const response = await service.trace(unknown);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ candidates: [], meta: { scope: 'no_data' } });
    expect(tracesLeft(response)).toBe(10);
  });

  test('a wallet that is not indexed is read from its chain, and the answer says so', async () => {
    const asked: string[][] = [];
    await using service = await open(readerOf(steps), askNoting(asked));
    const unknown = { ...good, wallet: CYD, signature: hash('e'), sol: 7.7 };
    expect(await (await service.trace(unknown)).json()).toMatchObject({
      meta: { scope: 'partial', detail: expect.stringContaining('being read') },
    });
    expect((await service.trace()).status).toBe(200);
    expect(asked).toEqual([['ethereum', CYD]]);
  });

  test('a wallet that is not indexed is read while the call waits, and the trace costs one trace', async () => {
    const { asked, ports, overrides } = readWhenAsked(
      { reader: readerOf(steps.slice(1)) },
      { reader: readerOf(steps) },
      NOW,
    );
    await using service = await open(ports.reader, undefined, undefined, overrides);
    const response = await service.trace();
    await using indexed = await open();
    const answer = (await response.json()) as { anchor: object };
    expect(answer.anchor).toMatchObject({ verified: true });
    expect(answer).toEqual(await (await indexed.trace()).json());
    expect(asked).toEqual([['ethereum', ANN]]);
    expect(tracesLeft(response)).toBe(9);
  });

  test('nothing is promised of a wallet that cannot be asked for in time, and the answer is not held back', async () => {
    await using service = await open(readerOf(steps), () => new Promise(() => {}));
    const unknown = { ...good, wallet: CYD, signature: hash('e'), sol: 7.7 };
    const response = await service.trace(unknown);
    expect(await response.json()).toMatchObject({ meta: { scope: 'no_data' } });
    expect(tracesLeft(response)).toBe(10);
  });

  test('of a wallet that was read before nothing is promised, and what its nodes left out is said', async () => {
    const unknown = { ...good, wallet: CYD, signature: hash('e'), sol: 7.7 };
    const detailOf = async (missing: 'nothing' | 'more') => {
      const asked: string[][] = [];
      const backfills: Backfills = {
        canBackfill: () => true,
        lastBackfill: () => ({ missing, readAtUnixSeconds: NOW }),
      };
      await using service = await open(readerOf(steps), askNoting(asked), backfills);
      const { meta } = (await (await service.trace(unknown)).json()) as {
        meta: { scope: string; detail: string | null };
      };
      expect(asked).toEqual([]);
      return meta;
    };
    expect((await detailOf('nothing')).detail ?? '').not.toMatch(/being read|not all/);
    expect(await detailOf('more')).toMatchObject({
      scope: 'partial',
      detail: expect.stringContaining('not all that happened'),
    });
  });

  test('what is wrong with the request is said before who asks it', async () => {
    await using service = await open();
    expect((await service.trace({ ...good, window: 0 }, {})).status).toBe(400);
    expect((await service.trace(good, {})).status).toBe(401);
  });
});

describe('the request', () => {
  test.each<[field: string, wrong: object]>([
    // JSON leaves out what is undefined.
    ...['wallet', 'counterparty', 'signature', 'direction'].map((field): [string, object] => [
      field,
      { [field]: undefined },
    ]),
    ['wallet', { wallet: 7 }],
    ['wallet', { wallet: '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
    ['counterparty', { counterparty: SYSTEM_PROGRAM }],
    ['counterparty', { counterparty: ANN }],
    ['wallet', { chain: 'solana' }],
    ['chain', { chain: 'bitcoin' }],
    ['signature', { signature: hash('a').slice(1) }],
    ['signature', { signature: '1'.repeat(64) }],
    ['direction', { direction: 'OUT' }],
    ['direction', { direction: null }],
    ['time', { time: NOW + 3_600 }],
    ['time', { time: T * 1_000 }],
    ['time', { time: -1 }],
    ['time', { time: T + 0.5 }],
    ['sol', { sol: -1 }],
    ['sol', { sol: '1' }],
    ['sol', { sol: 1e300 }],
    ['usd', { usd: -0.01 }],
    ['usd', { usd: null }],
    ['window', { window: 604_801 }],
    ['window', { window: 0 }],
    ['window', { window: 60.5 }],
    ['window', { window: null }],
    ['asset', { asset: 'native' }],
  ])('is refused with a wrong %s (%j)', async (field, wrong) => {
    await using service = await open();
    const response = await service.trace({ ...good, ...wrong });
    const { code, error, fields } = (await response.json()) as Refusal;
    expect({ status: response.status, code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(fields?.map(({ path }) => path)).toContain(field);
    expect(error).toContain(`\`${field}\``);
  });

  test('with a time that is ahead of ours by what clocks of nodes are is answered', async () => {
    await using service = await open();
    expect((await service.trace({ ...good, time: NOW + 60 })).status).toBe(200);
    expect((await service.trace({ ...good, time: NOW + 61 })).status).toBe(400);
  });

  test.each(['sol', 'usd'] as const)('with %s that is not finite is refused', async (field) => {
    await using service = await open();
    const text = JSON.stringify(good).replace(`"${field}":${good[field]}`, `"${field}":1e999`);
    const response = await service.trace(text);
    expect(response.status).toBe(400);
    expect(((await response.json()) as Refusal).fields).toMatchObject([{ path: field }]);
  });

  test.each<[sentence: string, wrong: object]>([
    ['`direction` must be "in" or "out"', { direction: 'both' }],
    ['`counterparty` is not an address on ethereum', { counterparty: SYSTEM_PROGRAM }],
    ['`counterparty` is the wallet itself', { counterparty: ANN }],
    ['`signature` is not a transaction of ethereum', { signature: '1'.repeat(64) }],
    ['`time` lies in the future', { time: NOW + 61 }],
    ['`window` must be a whole number of seconds from 1 to 604800', { window: 604_801 }],
    ['`sol` must be a number from 0 to', { sol: -1 }],
    ['`usd` must be a number from 0 to', { usd: -1 }],
    ['`signature` is required', { signature: undefined }],
  ])('is told what to change: %s', async (sentence, wrong) => {
    await using service = await open();
    const response = await service.trace({ ...good, ...wrong });
    expect(((await response.json()) as Refusal).error).toContain(sentence);
  });

  test.each([
    ['counterparty', 'counterparty_not_traceable', 'not a known mixer or exchange', { counterparty: CYD }],
    ['sol', 'nothing_to_trace', 'moved no ETH or stablecoin', { sol: 0, usd: 0 }],
    ['signature', 'nothing_to_trace', 'moved no ETH or stablecoin', { signature: hash('9') }],
    ['wallet', 'anchor_contradicted', 'this wallet', { wallet: CYD }],
    ['counterparty', 'anchor_contradicted', 'and this counterparty', { counterparty: DESK }],
    ['direction', 'anchor_contradicted', 'direction is "out"', { direction: 'in' }],
  ])('whose %s cannot be is told so (%s)', async (field, code, sentence, wrong) => {
    await using service = await open();
    const response = await service.trace({ ...good, ...wrong });
    const refusal = (await response.json()) as Refusal;
    expect(response.status).toBe(400);
    expect(refusal).toMatchObject({
      code,
      error: expect.stringContaining(sentence),
      fields: [{ path: field }],
    });
  });
});
