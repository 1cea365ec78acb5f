import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { blockParts } from '../../events/encode-block.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { KNOWN_ASSETS } from '../../investigate/model/known-assets.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { loadSchema } from '../../platform/avro/schemas.ts';
import {
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { buildBlock, type TransactionPlan } from '../../testing/build-block.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { insertLabels } from '../labels/insert-labels.ts';
import { updateServiceWallets } from '../labels/update-service-wallets.ts';
import { migrate } from '../migrate/migrate.ts';
import { createPriceReader } from '../read/price.ts';
import { insertBlockTransfers } from '../sink/insert-block-transfers.ts';
import { DERIVATIONS, deriveFacts } from './derive-facts.ts';

const HOUR = 3_600;
const START = 1_700_000_000 - (1_700_000_000 % HOUR);
const STEP = 4_096;
const SOL = 1_000_000_000n;
const assetOf = (symbol: string) =>
  KNOWN_ASSETS.find((known) => known.chain === 'ethereum' && known.symbol === symbol)?.asset ?? symbol;
const [USDC, USDT, DAI] = [assetOf('USDC'), assetOf('USDT'), assetOf('DAI')];

let folder: string;
let warehouse: EmbeddedWarehouse;
let sequence = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'spoor-derive-'));
  warehouse = await startEmbeddedWarehouse({ folder, database: 'spoor' });
  await migrate(warehouse);
});
beforeEach(() => empty('%'));
afterAll(async () => {
  await warehouse?.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (query: string): Promise<unknown[][]> => {
  const answer = await warehouse.writer.query({ query, format: 'JSONCompactEachRow' });
  return answer.json<unknown[]>();
};

const empty = async (comment: string): Promise<void> => {
  const names =
    await ask(`SELECT name FROM system.tables WHERE database = currentDatabase() AND comment LIKE '${comment}'
    AND engine LIKE '%MergeTree' AND name NOT IN ('migrations', 'wrapped_native')`);
  for (const [name] of names)
    await warehouse.writer.command({ query: 'TRUNCATE TABLE {name:Identifier}', query_params: { name } });
};

const { type } = loadSchema('BlockTransfers');
const insert = async (blocks: readonly DecodedBlock[]): Promise<void> => {
  const records = blocks
    .flatMap((block) => blockParts(block))
    .map((part) => ({ sequence: sequence++ * STEP, avro: type.toBuffer(part) }));
  await insertBlockTransfers(warehouse.writer, { records, token: `batch-${sequence}` });
};

const derive = (derivations = DERIVATIONS): Promise<void> => {
  const request = {
    lanes: [{ lane: 0, end: sequence * STEP }],
    depth: () => 0,
    signal: new AbortController().signal,
  };
  return deriveFacts(warehouse.writer, request, derivations);
};

const nameHot = async (chain: string, wallets: Readonly<Record<string, string>>): Promise<void> => {
  const labels = Object.entries(wallets).map(([address, entity]) =>
    buildLabel({ chain, address, entity, kind: 'exchange', name: `exchange ${address}` }),
  );
  await insertLabels(
    warehouse.writer,
    labels.map((label) => ({ sequence, event: { type: 'LabelAsserted', label } })),
  );
  await updateServiceWallets(
    warehouse.writer,
    labels.map(({ address }) => ({ chain, address, sequence: sequence++ })),
  );
};

const only = (...names: readonly string[]) => DERIVATIONS.filter(({ name }) => names.includes(name));
const DEPOSITS = only('deposit-addresses');
const PRICES = only('market-trades', 'prices');

/** Who paid whom how much, and how many hours after the start. */
type Payment = readonly [from: string, to: string, sol: number, hours: number];

const payment = ([from, to, sol, hours]: Payment, at: number, asset: string = NATIVE): DecodedBlock =>
  buildBlock({
    chain: 'solana',
    number: 1 + at,
    timeUnixSeconds: START + Math.round(hours * HOUR),
    transactions: [
      {
        hash: `pay-${at}`,
        sender: from,
        movements: [{ from, to, asset, amountRaw: BigInt(Math.round(sol * 1_000)) * (SOL / 1_000n) }],
      },
    ],
  });

const holding = () => ask('SELECT address, entity FROM deposit_addresses FINAL WHERE holds ORDER BY address');

const TWICE: readonly Payment[] = [
  ['ann', 'box', 5, 0],
  ['box', 'hot', 4.99, 1],
  ['bob', 'box', 7, 30],
  ['box', 'hot', 7, 40],
];
const CUSTOMERS = Array.from({ length: 31 }, (_, n): Payment => [`payer ${n}`, 'box', 1, n / 10]);

/** What an address called box did, and whether it is the exchange's. */
const BEHAVIOURS: Readonly<Record<string, readonly [holds: boolean, payments: readonly Payment[]]>> = {
  'passes on what it gets, twice': [true, TWICE],
  'sweeps once': [false, TWICE.slice(0, 2)],
  'collects several payments for a sweep': [
    true,
    [...TWICE, ['cem', 'box', 1, 41], ['dan', 'box', 2, 42], ['box', 'hot', 3, 43]],
  ],
  'keeps what it gets': [
    false,
    [
      ['ann', 'box', 50, 0],
      ['box', 'hot', 5, 1],
      ['bob', 'box', 70, 2],
      ['box', 'hot', 7, 3],
    ],
  ],
  'sweeps days later': [
    false,
    [
      ['ann', 'box', 5, 0],
      ['box', 'hot', 5, 60],
      ['bob', 'box', 7, 70],
      ['box', 'hot', 7, 140],
    ],
  ],
  'pays others as well': [
    false,
    [...TWICE, ['ann', 'box', 4, 41], ['box', 'shop', 2, 42], ['box', 'pub', 2, 43]],
  ],
  'pays two exchanges': [false, [...TWICE, ['ann', 'box', 4, 41], ['box', 'cold', 4, 42]]],
  'is paid by the exchange': [false, [...TWICE, ['hot', 'box', 9, 41], ['box', 'hot', 9, 42]]],
  'is paid by a crowd': [false, [...CUSTOMERS, ['box', 'hot', 31, 5], ...TWICE.slice(2)]],
  'gets its gas from a third': [true, [...TWICE, ['gas', 'box', 0.005, 41]]],
};

describe('deposit addresses', () => {
  test('are told by what they do', async () => {
    await nameHot('solana', { hot: 'alder', cold: 'birch' });
    const nameOf = (wallet: string, behaviour: string): string =>
      ['hot', 'cold'].includes(wallet) ? wallet : `${wallet} that ${behaviour}`;
    const payments = Object.entries(BEHAVIOURS).flatMap(([behaviour, [, rows]]) =>
      rows.map(([from, to, ...rest]): Payment => [nameOf(from, behaviour), nameOf(to, behaviour), ...rest]),
    );
    await insert(payments.map((row, at) => payment(row, at)));
    await derive(DEPOSITS);
    const expected = Object.entries(BEHAVIOURS).flatMap(([behaviour, [holds]]) =>
      holds ? [[`box that ${behaviour}`, 'alder']] : [],
    );
    expect(await holding()).toEqual(expected.sort());
  });

  test('are none any more when they stop passing on, or no list names the exchange; slow ones are believed less', async () => {
    await nameHot('solana', { hot: 'alder' });
    await insert(TWICE.map((row, at) => payment(row, at)));
    await derive(DEPOSITS);
    const confidence = async () =>
      Number((await ask('SELECT confidence FROM deposit_addresses FINAL'))[0]?.[0]);
    const early = await confidence();
    expect(early).toBeGreaterThan(0.5);
    await insert([payment(['ann', 'box', 5, 50], 10), payment(['box', 'hot', 5, 61.9], 11)]);
    await derive(DEPOSITS);
    expect(await confidence()).toBeLessThan(early);
    await nameHot('solana', { hot: '' });
    await derive(DEPOSITS);
    expect(await holding()).toEqual([]);
    await nameHot('solana', { hot: 'alder' });
    await derive(DEPOSITS);
    expect(await holding()).toEqual([['box', 'alder']]);
    await insert([payment(['ann', 'box', 50, 63], 20)]);
    await derive(DEPOSITS);
    expect(await holding()).toEqual([['box', 'alder']]);
    // It does nothing more; only the chain goes on.
    await insert([payment(['eve', 'dan', 1, 99], 21)]);
    await derive(DEPOSITS);
    expect(await holding()).toEqual([]);
  });

  test('are none that pay strangers most of a coin that they never sweep', async () => {
    await nameHot('solana', { hot: 'alder' });
    const inToken = (rows: readonly Payment[], from: number) =>
      rows.map((row, at) => payment(row, from + at, 'a token'));
    await insert([...inToken(TWICE, 0), ...inToken(TWICE, 10)]);
    await derive(DEPOSITS);
    expect(await holding()).toEqual([['box', 'alder']]);
    await insert([payment(['ann', 'box', 9_000, 41], 20), payment(['box', 'eve', 8_999, 42], 21)]);
    await derive(DEPOSITS);
    expect(await holding()).toEqual([]);
  });
});

/** Trades of one hour: what was given for what, in whole units of six decimals (the coin: eighteen). */
type Trade = readonly [gave: string, gaveUnits: number, got: string, gotUnits: number];

const rawOf = (asset: string, units: number): bigint =>
  BigInt(Math.round(units * 1e6)) * (asset === NATIVE || asset === DAI ? 1_000_000_000_000n : 1n);

const tradesAt = (hour: number, trades: readonly Trade[], chain = 'ethereum'): DecodedBlock =>
  buildBlock({
    chain,
    number: 100 + hour,
    timeUnixSeconds: START + hour * HOUR + 1_800,
    assets: [
      { asset: 'token', decimals: 6 },
      { asset: 'fake usdc', decimals: 6 },
    ],
    transactions: trades.map(([gave, gaveUnits, got, gotUnits], at): TransactionPlan => {
      const owner = `trader ${hour} ${at}`;
      const [gaveRaw, gotRaw] = [rawOf(gave, gaveUnits), rawOf(got, gotUnits)];
      return {
        hash: `trade-${hour}-${at}`,
        sender: owner,
        movements: [
          { from: owner, to: 'pool', asset: gave, amountRaw: gaveRaw },
          { from: 'pool', to: owner, asset: got, amountRaw: gotRaw },
        ],
        swaps: [{ owner, gaveAsset: gave, gaveRaw, gotAsset: got, gotRaw, through: 'pool' }],
      };
    }),
  });

const times = (count: number, trade: Trade): Trade[] => Array<Trade>(count).fill(trade);

const priceOf = async (family: string, hour: number): Promise<number | null> => {
  const chain = findChain('ethereum');
  if (!chain) throw new Error('the chain is not known');
  const limits = { signal: AbortSignal.timeout(20_000), timeoutMs: 20_000 };
  const moments = [{ family, timeUnixSeconds: START + hour * HOUR + 1_800 }];
  const [price] = await createPriceReader(warehouse.reader).prices({ chain, moments, ...limits });
  return price ? Number(price.usd.toPrecision(6)) : null;
};

describe('a price', () => {
  test('comes by way of the coin where nobody pays in dollars', async () => {
    await insert([
      tradesAt(0, [...times(4, [USDC, 2_000, NATIVE, 1]), ...times(4, [NATIVE, 1, 'token', 500])]),
    ]);
    await derive(PRICES);
    expect(await priceOf(NATIVE, 0)).toBe(2_000);
    expect(await priceOf('token', 0)).toBe(4);
  });

  test('is not moved by one who paid far too much, nor by a token that calls itself a dollar', async () => {
    const fair = times(9, [USDC, 2_000, NATIVE, 1]);
    await insert([
      tradesAt(0, [...fair, [USDC, 90_000, NATIVE, 1], ...times(30, ['fake usdc', 9_000, NATIVE, 1])]),
    ]);
    await derive(PRICES);
    expect(await priceOf(NATIVE, 0)).toBe(2_000);
  });

  test('is not known of a market that is too thin, or of a fake quoted in itself', async () => {
    await insert([
      tradesAt(0, [...times(9, [USDC, 100, 'token', 25]), ...times(2, [USDC, 9_000, NATIVE, 4])]),
    ]);
    await derive(PRICES);
    expect([await priceOf('token', 0), await priceOf(NATIVE, 0), await priceOf('fake usdc', 0)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('of a stablecoin is its peg, but what its markets say in an hour in which all of them are off', async () => {
    const crash = [...times(4, [USDC, 2_000, USDT, 1_760]), ...times(4, [USDC, 2_000, DAI, 1_760])];
    await insert([tradesAt(0, times(4, [USDC, 2_000, USDT, 1_999])), tradesAt(5, crash)]);
    await derive(PRICES);
    expect([await priceOf(USDC, 0), await priceOf(USDT, 0)]).toEqual([1, 1]);
    expect([await priceOf(USDC, 5), await priceOf(USDT, 5), await priceOf(USDC, 9)]).toEqual([0.88, null, 1]);
    // Quoted in what had lost its peg nothing else has a price.
    const coin = times(4, [USDC, 9_000, NATIVE, 1]);
    await insert([tradesAt(6, [...times(4, [USDC, 2_000, USDT, 1_760]), ...coin])]);
    await derive(PRICES);
    expect(await priceOf(NATIVE, 6)).toBeNull();
    await insert([tradesAt(7, coin)]);
    await derive(PRICES);
    expect(await priceOf(NATIVE, 7)).toBe(9_000);
  });
});

test('the first funder is the earliest, whenever its block comes', async () => {
  await insert([payment(['late', 'ann', 1, 5], 5), payment(['ann', 'bob', 1, 6], 6)]);
  await derive(only('first-funders'));
  await insert([payment(['early', 'ann', 1, 2], 2), payment(['later', 'bob', 1, 9], 9)]);
  await derive(only('first-funders'));
  const funders = await ask(
    'SELECT wallet, min(first).funder FROM first_funders GROUP BY chain, wallet ORDER BY wallet',
  );
  expect(funders).toEqual([
    ['ann', 'early'],
    ['bob', 'ann'],
  ]);
  const groups = await ask(`SELECT DISTINCT funder, wallet FROM funder_groups WHERE funder = 'early'`);
  expect(groups).toEqual([['early', 'ann']]);
});

test('a look-alike shares the ends of an address that its victim dealt with, and came to the chain after it', async () => {
  const [friend, fake, other] = ['Frd111111abcd', 'Frd999999abcd', 'Frd999999abce'];
  await insert([
    payment(['ann', friend, 5, 0], 0),
    payment([fake, 'ann', 0.001, 3], 3),
    payment([other, 'ann', 1, 4], 4),
  ]);
  await derive(only('lookalikes'));
  const QUERY = `SELECT victim, lookalike, original FROM lookalikes GROUP BY chain, victim, lookalike, original
    HAVING min(seen) > min(original_seen)`;
  expect(await ask(QUERY)).toEqual([['ann', fake, friend]]);
  // Dealings with one of the two alone make no pair; whom the victim met first says nothing.
  await insert([
    payment([fake, 'bob', 1, 5], 5),
    payment([fake, 'cem', 1, 6], 6),
    payment(['bob', friend, 5, 7], 7),
  ]);
  await derive(only('lookalikes'));
  expect((await ask(QUERY)).sort()).toEqual([
    ['ann', fake, friend],
    ['bob', fake, friend],
  ]);
});

/** What tells one state of the derived tables from another; what did not hold, or says no more, counts as not there. */
const CONTENTS = [
  `SELECT * REPLACE (round(confidence, 9) AS confidence, round(sponsored_share, 9) AS sponsored_share) FROM deposit_addresses FINAL WHERE holds ORDER BY ALL`,
  'SELECT chain, wallet, min(first) FROM first_funders GROUP BY ALL ORDER BY ALL',
  `SELECT chain, funder, wallet FROM funder_groups FINAL WHERE (chain, wallet, funder) IN
    (SELECT chain, wallet, min(first).funder FROM first_funders GROUP BY chain, wallet) ORDER BY ALL`,
  'SELECT chain, victim, lookalike, original, min(met), min(seen), min(original_seen) FROM lookalikes GROUP BY ALL ORDER BY ALL',
  'SELECT * FROM market_trades FINAL ORDER BY ALL',
  `SELECT chain, asset, resolution, time, at, round(usd, 9), round(volume_usd, 6), trades FROM prices FINAL
    WHERE usd IS NOT NULL AND usd != 1 ORDER BY ALL`,
];
const contents = async () => Promise.all(CONTENTS.map(ask));

const wallet = fc.constantFrom(
  'hot',
  'cold',
  'box1111',
  'box2222',
  'ann1111',
  'ann2222',
  'Boxx1111',
  'Boxy1111',
  'Boxz1111',
);
const amount = fc.constantFrom(1, 1, 2, 5, 5, 10);
/** One address that sweeps whatever else happens. */
const STEADY = TWICE.map(
  ([from, to, ...rest]): Payment => [`${from} s`, to === 'hot' ? to : `${to} s`, ...rest],
);
const anyPayment = fc
  .record({ from: wallet, to: wallet, amount, hours: fc.integer({ min: 0, max: 72 }) })
  .filter(({ from, to }) => from !== to)
  .map((p): Payment => [p.from, p.to, p.amount, p.hours]);
const anyTrade = fc.constantFrom<Trade>(
  [USDC, 2_000, NATIVE, 1],
  [NATIVE, 1, USDC, 1_990],
  [USDC, 5_000, NATIVE, 2],
  [NATIVE, 1, 'token', 500],
  [USDC, 2_000, USDT, 1_700],
  [USDT, 2_000, USDC, 1_999],
);
const anyHour = fc.record({
  hour: fc.integer({ min: 0, max: 12 }),
  trades: fc.array(anyTrade, { minLength: 3, maxLength: 12 }),
});
const story = fc.record({
  payments: fc.array(anyPayment, { minLength: 20, maxLength: 60 }),
  hours: fc.uniqueArray(anyHour, { minLength: 4, maxLength: 9, selector: ({ hour }) => hour }),
  batches: fc.integer({ min: 2, max: 4 }),
  /** How many derivations a run ends before it is cut off, batch by batch. */
  cuts: fc.array(fc.integer({ min: 0, max: DERIVATIONS.length }), { minLength: 4, maxLength: 4 }),
});

test('whatever came in which order and wherever it was cut off, the tables are what one run over everything gives', async () => {
  const rows = CONTENTS.map(() => 0);
  await fc.assert(
    fc.asyncProperty(story, async ({ payments, hours, batches, cuts }) => {
      await empty('%');
      await nameHot('solana', { hot: 'alder', cold: 'birch' });
      const blocks = [
        ...[...STEADY, ...payments].map((row, at) => payment(row, at)),
        ...hours.map(({ hour, trades }) => tradesAt(hour, trades)),
      ];
      for (let batch = 0; batch < batches; batch += 1) {
        // Each batch takes every so-many-th block: later ones bring what lies before.
        await insert(blocks.filter((_, at) => at % batches === batch));
        await derive(DERIVATIONS.slice(0, cuts[batch] ?? 0));
      }
      await derive();
      const grown = await contents();
      await empty('derived');
      await derive();
      expect(grown).toEqual(await contents());
      for (const [at, table] of grown.entries()) rows[at] = (rows[at] ?? 0) + table.length;
    }),
    { numRuns: 3, endOnFailure: true },
  );
  // Each of them was put to the test.
  expect(Math.min(...rows)).toBeGreaterThan(0);
});
