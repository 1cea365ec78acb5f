import fc from 'fast-check';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { NATIVE } from '../../investigate/model/movement.ts';
import {
  DeriveStage,
  type Payment,
  payment,
  SWEPT_TWICE,
  type Trade,
  tradesAt,
  USDC,
  USDT,
} from '../../testing/derive-stage.ts';
import { hideRetracted } from '../sink/hide-retracted.ts';
import { DERIVATIONS } from './derive-facts.ts';
import { firstFunders } from './first-funders.ts';
import { lookalikes } from './lookalikes.ts';
import { marketTrades } from './market-trades.ts';

const stage = new DeriveStage();
beforeEach(() => stage.empty());

test('the first funder is the earliest, whenever its block comes', async () => {
  await stage.insert([payment(['late', 'ann', 1, 5], 5), payment(['ann', 'bob', 1, 6], 6)]);
  await stage.derive([firstFunders]);
  await stage.insert([payment(['early', 'ann', 1, 2], 2), payment(['later', 'bob', 1, 9], 9)]);
  await stage.derive([firstFunders]);
  const funders = await stage.ask(
    'SELECT wallet, min(first).funder FROM first_funders GROUP BY chain, wallet ORDER BY wallet',
  );
  expect(funders).toEqual([
    ['ann', 'early'],
    ['bob', 'ann'],
  ]);
  const groups = await stage.ask(`SELECT DISTINCT funder, wallet FROM funder_groups WHERE funder = 'early'`);
  expect(groups).toEqual([['early', 'ann']]);
});

test('facts that a newer version had begun to make, and was cut off, are made again by the one before', async () => {
  await stage.insert([payment(['ann', 'bob', 1, 1], 1)]);
  await stage.derive([firstFunders]);
  const newer = {
    ...firstFunders,
    rules: ['other'],
    run: () => Promise.reject(new Error('cut off')),
  };
  await expect(stage.derive([newer])).rejects.toThrow('cut off');
  expect(await stage.derive([firstFunders])).toEqual(['first-funders']);
  expect(await stage.ask('SELECT wallet FROM first_funders')).toEqual([['bob']]);
});

test('what an abandoned block said is no fact, though another block of its number stands', async () => {
  for (const abandoned of [payment(['thief', 'ann', 1, 1], 1), tradesAt(0, [[USDC, 2_000, NATIVE, 1]])]) {
    const sequence = stage.nextSequence;
    await stage.insert([abandoned]);
    await hideRetracted(stage.warehouse.writer, [sequence]);
  }
  await stage.insert([payment(['friend', 'ann', 1, 2], 1), tradesAt(0, [])]);
  await stage.derive();
  expect(await stage.ask('SELECT min(first).funder FROM first_funders GROUP BY wallet')).toEqual([
    ['friend'],
  ]);
  expect(await stage.ask('SELECT address FROM address_shapes ORDER BY address')).toEqual([
    ['ann'],
    ['friend'],
  ]);
  expect(await stage.ask('SELECT asset FROM market_trades')).toEqual([]);
});

test('a trade that came without its block makes a price with the block, and not before', async () => {
  const countTrades = () => stage.ask('SELECT count() FROM market_trades');
  const trade: Trade = [USDC, 2_000, NATIVE, 1];
  const sequence = stage.nextSequence;
  await stage.insert([tradesAt(1, [trade])], { whole: false });
  await stage.insert([tradesAt(2, [trade])]);
  await stage.derive([marketTrades]);
  expect(await countTrades()).toEqual([['1']]);
  await hideRetracted(stage.warehouse.writer, [sequence]);
  await stage.insert([tradesAt(1, [trade])]);
  await stage.derive([marketTrades]);
  expect(await countTrades()).toEqual([['2']]);
});

test('a look-alike shares the ends of an address that its victim dealt with, and came to the chain after it', async () => {
  const [friend, fake, other] = ['Frd111111abcd', 'Frd999999abcd', 'Frd999999abce'];
  await stage.insert([
    payment(['ann', friend, 5, 0], 0),
    payment([fake, 'ann', 0.001, 3], 3),
    payment([other, 'ann', 1, 4], 4),
  ]);
  await stage.derive([lookalikes]);
  const QUERY = `SELECT victim, lookalike, original FROM lookalikes GROUP BY chain, victim, lookalike, original
    HAVING min(seen) > min(original_seen)`;
  expect(await stage.ask(QUERY)).toEqual([['ann', fake, friend]]);
  // Dealings with one of the two alone make no pair; whom the victim met first says nothing.
  await stage.insert([
    payment([fake, 'bob', 1, 5], 5),
    payment([fake, 'cem', 1, 6], 6),
    payment(['bob', friend, 5, 7], 7),
  ]);
  await stage.derive([lookalikes]);
  expect((await stage.ask(QUERY)).sort()).toEqual([
    ['ann', fake, friend],
    ['bob', fake, friend],
  ]);
});

test('of an EVM address the ends are those behind 0x', async () => {
  const [friend, fake, other] = ['0xabc1111234d', '0xabc9991234d', '0xabd9991234d'];
  const dealings: readonly Payment[] = [
    ['ann', friend, 5, 0],
    [fake, 'ann', 1, 1],
    [other, 'ann', 1, 2],
  ];
  await stage.insert(dealings.map((row, index) => payment(row, index, { chain: 'ethereum' })));
  await stage.derive([lookalikes]);
  const pairs = 'SELECT DISTINCT lookalike, original FROM lookalikes ORDER BY lookalike';
  expect(await stage.ask(pairs)).toEqual([
    [friend, fake],
    [fake, friend],
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
const contents = async () => Promise.all(CONTENTS.map((query) => stage.ask(query)));

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
const STEADY = SWEPT_TWICE.map(
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
      await stage.empty('%');
      await stage.nameHot('solana', { hot: 'alder', cold: 'birch' });
      const blocks = [
        ...[...STEADY, ...payments].map((row, index) => payment(row, index)),
        ...hours.map(({ hour, trades }) => tradesAt(hour, trades)),
      ];
      for (let batch = 0; batch < batches; batch += 1) {
        // Each batch takes every so-many-th block: later ones bring what lies before.
        await stage.insert(blocks.filter((_, index) => index % batches === batch));
        await stage.derive(DERIVATIONS.slice(0, cuts[batch] ?? 0), { sliceRows: 25 });
      }
      await stage.derive();
      const grown = await contents();
      await stage.empty('derived');
      await stage.derive();
      expect(grown).toEqual(await contents());
      for (const [index, table] of grown.entries()) rows[index] = (rows[index] ?? 0) + table.length;
    }),
    { numRuns: 3, endOnFailure: true },
  );
  // Each of them was put to the test.
  expect(Math.min(...rows)).toBeGreaterThan(0);
});

test('everything that is asked of new movements keeps the bounds of a derivation', async () => {
  await stage.insert([payment(['early', 'ann', 1, 2], 2), tradesAt(0, [[USDC, 2_000, NATIVE, 1]])]);
  await stage.derive();
  await stage.insert([payment(['late', 'ann', 1, 5], 5), tradesAt(1, [[USDC, 2_000, NATIVE, 1]])]);
  const { writer } = stage.warehouse;
  const spies = [vi.spyOn(writer, 'query'), vi.spyOn(writer, 'command')];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  await stage.derive([firstFunders, lookalikes, marketTrades]);
  const asked = spies.flatMap(({ mock }) => mock.calls.map(([request]) => request));
  const ofMovements = asked.filter(({ query }) => /FROM (transfers|swaps|market_trades)\b/.test(query));
  expect(ofMovements.length).toBeGreaterThan(3);
  for (const { query, clickhouse_settings: settings } of ofMovements)
    if (!query.startsWith('DELETE'))
      expect(settings, query).toMatchObject({
        priority: '1',
        max_bytes_before_external_group_by: '1073741824',
      });
});

/** What an earlier version made of the same events by other lists and rules. */
const LEFT_BY_ANOTHER = [
  `INSERT INTO deposit_addresses (chain, address, entity, holds) VALUES ('solana', 'ann', 'alder', true)`,
  `INSERT INTO first_funders SELECT 'solana', 'box', (0, 0, 0, now(), 'nobody', 1)`,
  `INSERT INTO funder_groups VALUES ('solana', 'nobody', 'box')`,
  `INSERT INTO lookalikes SELECT 'solana', 'ann', 'box', 'hot', (1, 1, 1, now()), (1, 1, 1), (0, 0, 0)`,
  `INSERT INTO market_trades SELECT * REPLACE ('fake usdc' AS asset) FROM market_trades`,
  `INSERT INTO prices SELECT * REPLACE ('fake usdc' AS asset) FROM prices WHERE usd IS NOT NULL`,
];

test('facts that lists and rules of another version gave are derived again, and only they', async () => {
  await stage.empty('%');
  await stage.nameHot('solana', { hot: 'alder' });
  const trades = Array.from({ length: 4 }, (): Trade => [USDC, 2_000, NATIVE, 1]);
  await stage.insert([...SWEPT_TWICE.map((row, index) => payment(row, index)), tradesAt(1, trades)]);
  expect(await stage.derive(DERIVATIONS.map((each) => ({ ...each, rules: ['another version'] })))).toEqual(
    [],
  );
  const right = await contents();
  for (const query of LEFT_BY_ANOTHER) await stage.warehouse.writer.command({ query });
  const wrong = await contents();
  for (const [index, table] of wrong.entries()) expect(table).not.toEqual(right[index]);
  expect(await stage.derive()).toEqual(DERIVATIONS.map(({ name }) => name));
  expect(await contents()).toEqual(right);
  const [trade] = LEFT_BY_ANOTHER.slice(-1);
  await stage.warehouse.writer.command({ query: trade ?? '' });
  expect(await stage.derive()).toEqual([]);
  expect(await contents()).not.toEqual(right);
});
