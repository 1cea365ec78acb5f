import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LabelEvent } from '../../events/label-events.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { buildLabel } from '../../testing/build-label.ts';
import {
  DeriveStage,
  type Payment,
  payment,
  START,
  type Trade,
  tradesAt,
  USDC,
  USDT,
} from '../../testing/derive-stage.ts';
import { insertLabels } from '../labels/insert-labels.ts';
import { hideRetracted } from '../sink/hide-retracted.ts';
import { depositAddresses } from './deposit-addresses.ts';
import { assertDepositLabels } from './deposit-labels.ts';
import { DERIVATIONS } from './derive-facts.ts';
import { firstFunders } from './first-funders.ts';
import { lookalikes } from './lookalikes.ts';
import { marketTrades } from './market-trades.ts';

const stage = new DeriveStage();
beforeEach(() => stage.empty());

const holding = () =>
  stage.ask('SELECT address, entity FROM deposit_addresses FINAL WHERE holds ORDER BY address');

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
    await stage.nameHot('solana', { hot: 'alder', cold: 'birch' });
    const nameOf = (wallet: string, behaviour: string): string =>
      ['hot', 'cold'].includes(wallet) ? wallet : `${wallet} that ${behaviour}`;
    const payments = Object.entries(BEHAVIOURS).flatMap(([behaviour, [, rows]]) =>
      rows.map(([from, to, ...rest]): Payment => [nameOf(from, behaviour), nameOf(to, behaviour), ...rest]),
    );
    await stage.insert(payments.map((row, at) => payment(row, at)));
    await stage.derive([depositAddresses]);
    const expected = Object.entries(BEHAVIOURS).flatMap(([behaviour, [holds]]) =>
      holds ? [[`box that ${behaviour}`, 'alder']] : [],
    );
    expect(await holding()).toEqual(expected.sort());
  });

  test('are none any more when they stop passing on, or no list names the exchange; slow ones are believed less', async () => {
    await stage.nameHot('solana', { hot: 'alder' });
    await stage.insert(TWICE.map((row, at) => payment(row, at)));
    await stage.derive([depositAddresses]);
    const confidence = async () =>
      Number((await stage.ask('SELECT confidence FROM deposit_addresses FINAL'))[0]?.[0]);
    const early = await confidence();
    // Tutela's: one sweep after an hour of twelve that leaves all it may, one after ten hours that leaves nothing.
    expect(early).toBeCloseTo(((1 - 1 / 12 + 0) / 2 + (1 - 10 / 12 + 1) / 2) / 2, 6);
    await stage.insert([payment(['ann', 'box', 5, 50], 10), payment(['box', 'hot', 5, 61.9], 11)]);
    await stage.derive([depositAddresses]);
    expect(await confidence()).toBeLessThan(early);
    await stage.nameHot('solana', { hot: '' });
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
    await stage.nameHot('solana', { hot: 'alder' });
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    await stage.insert([payment(['ann', 'box', 50, 63], 20)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    // It does nothing more; only the chain goes on.
    await stage.insert([payment(['eve', 'dan', 1, 99], 21)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
  });

  test('are none that pay strangers most of a coin that they never sweep', async () => {
    await stage.nameHot('solana', { hot: 'alder' });
    const inToken = (rows: readonly Payment[], from: number) =>
      rows.map((row, at) => payment(row, from + at, { asset: 'a token' }));
    await stage.insert([...inToken(TWICE, 0), ...inToken(TWICE, 10)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([['box', 'alder']]);
    await stage.insert([payment(['ann', 'box', 9_000, 41], 20), payment(['box', 'eve', 8_999, 42], 21)]);
    await stage.derive([depositAddresses]);
    expect(await holding()).toEqual([]);
  });
});

test('who trades is no deposit address, however faithfully it passes on what others pay', async () => {
  await stage.nameHot('ethereum', { hot: 'alder' });
  const trader = 'trader 9 0';
  const rounds = [0, 2, 4, 6].flatMap((hour, at) => [
    payment(['ann', trader, 5, hour], 2 * at, { chain: 'ethereum' }),
    payment([trader, 'hot', 5, hour + 1], 2 * at + 1, { chain: 'ethereum' }),
  ]);
  await stage.insert(rounds);
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual([[trader, 'alder']]);
  await stage.insert([tradesAt(9, [[USDC, 1, NATIVE, 1]])]);
  await stage.derive([depositAddresses]);
  expect(await holding()).toEqual([]);
});

test('labels are compared where a run judged or somebody said something, and otherwise left alone', async () => {
  await stage.nameHot('solana', { hot: 'alder' });
  await stage.insert(TWICE.map((row, at) => payment(row, at)));
  await stage.derive([depositAddresses]);
  const { writer } = stage.warehouse;
  const store = (event: LabelEvent) => insertLabels(writer, [{ sequence: stage.takeSequence(), event }]);
  const compare = async (begin: number | null): Promise<string[]> => {
    const events: LabelEvent[] = [];
    const record = { topic: 'labels', key: '', value: Buffer.alloc(0) };
    const note = (event: LabelEvent) => {
      events.push(event);
      return record;
    };
    await assertDepositLabels(writer, {
      labels: {
        assert: (label) => note({ type: 'LabelAsserted', label }),
        revoke: (revocation) => note({ type: 'LabelRevoked', revocation }),
      },
      append: async () => {},
      nowUnixSeconds: START,
      since: begin === null ? null : [{ lane: 0, begin, end: stage.nextSequence }],
      signal: new AbortController().signal,
    });
    for (const event of events) await store(event);
    return events.map(({ type }) => type);
  };
  expect(await compare(stage.nextSequence)).toEqual(['LabelAsserted']);
  expect(await compare(null)).toEqual([]);
  // Another run judges nobody here.
  await stage.insert([payment(['cem', 'dan', 1, 50], 10)]);
  await stage.derive([depositAddresses]);
  const before = stage.nextSequence;
  await store({
    type: 'LabelAsserted',
    label: buildLabel({ address: 'box', kind: 'hack', name: 'a thief' }),
  });
  expect(await compare(stage.nextSequence)).toEqual([]);
  expect(await compare(before)).toEqual(['LabelRevoked']);
});

/** What was swept, who sent the sweeps, what each left behind, and whether that makes a deposit address. */
const EVM_SWEEPS: readonly [asset: string, sender: string | undefined, left: number, holds: boolean][] = [
  [NATIVE, undefined, 0.009, true],
  [NATIVE, undefined, 0.02, false],
  [USDC, 'relayer', 0, true],
  ['a token', undefined, 0, true],
  // Anybody can log that a token of their own moved.
  ['a token', 'relayer', 0, false],
];

test('on EVM chains a sweep of a token nobody lists counts only where the address itself sent it', async () => {
  await stage.nameHot('ethereum', { hot: 'alder' });
  const blocks = EVM_SWEEPS.flatMap(([asset, sender, left], at) => {
    const box = `box ${at}`;
    const paid = { chain: 'ethereum', asset };
    const sweep = { ...paid, sender: sender ?? box };
    return [
      payment(['ann', box, 5, at], 10 * at, paid),
      payment([box, 'hot', 5 - left, at + 0.5], 10 * at + 1, sweep),
      payment(['bob', box, 7, at + 1], 10 * at + 2, paid),
      payment([box, 'hot', 7 - left, at + 1.5], 10 * at + 3, sweep),
    ];
  });
  await stage.insert(blocks);
  await stage.derive([depositAddresses]);
  const expected = EVM_SWEEPS.flatMap(([, , , holds], at) => (holds ? [[`box ${at}`, 'alder']] : []));
  expect(await holding()).toEqual(expected);
  const sponsored = 'SELECT address FROM deposit_addresses FINAL WHERE holds AND sponsored_share = 1';
  expect(await stage.ask(sponsored)).toEqual([['box 2']]);
});

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
  await stage.insert(dealings.map((row, at) => payment(row, at, { chain: 'ethereum' })));
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
      await stage.empty('%');
      await stage.nameHot('solana', { hot: 'alder', cold: 'birch' });
      const blocks = [
        ...[...STEADY, ...payments].map((row, at) => payment(row, at)),
        ...hours.map(({ hour, trades }) => tradesAt(hour, trades)),
      ];
      for (let batch = 0; batch < batches; batch += 1) {
        // Each batch takes every so-many-th block: later ones bring what lies before.
        await stage.insert(blocks.filter((_, at) => at % batches === batch));
        await stage.derive(DERIVATIONS.slice(0, cuts[batch] ?? 0), { sliceRows: 10 });
      }
      await stage.derive();
      const grown = await contents();
      await stage.empty('derived');
      await stage.derive();
      expect(grown).toEqual(await contents());
      for (const [at, table] of grown.entries()) rows[at] = (rows[at] ?? 0) + table.length;
    }),
    { numRuns: 3, endOnFailure: true },
  );
  // Each of them was put to the test.
  expect(Math.min(...rows)).toBeGreaterThan(0);
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
  await stage.insert([...TWICE.map((row, at) => payment(row, at)), tradesAt(1, trades)]);
  expect(await stage.derive(DERIVATIONS.map((each) => ({ ...each, rules: ['another version'] })))).toEqual(
    [],
  );
  const right = await contents();
  for (const query of LEFT_BY_ANOTHER) await stage.warehouse.writer.command({ query });
  const wrong = await contents();
  for (const [at, table] of wrong.entries()) expect(table).not.toEqual(right[at]);
  expect(await stage.derive()).toEqual(DERIVATIONS.map(({ name }) => name));
  expect(await contents()).toEqual(right);
  const [trade] = LEFT_BY_ANOTHER.slice(-1);
  await stage.warehouse.writer.command({ query: trade ?? '' });
  expect(await stage.derive()).toEqual([]);
  expect(await contents()).not.toEqual(right);
});
