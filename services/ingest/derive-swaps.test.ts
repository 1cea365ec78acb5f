import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Movement, type MovementKind, NATIVE } from '../investigate/model/movement.ts';
import { deriveSwaps } from './derive-swaps.ts';

const WETH = 'weth';

type Row = [
  from: string | null,
  to: string | null,
  asset: string,
  amount: number | bigint,
  kind?: MovementKind,
  authority?: string,
];

const movementsOf = (rows: readonly Row[]): Movement[] =>
  rows.map(([from, to, asset, amount, kind = 'transfer', authority], index) => ({
    txIndex: 7,
    index,
    kind,
    from,
    to,
    asset,
    amountRaw: BigInt(amount),
    authority: authority ?? null,
  }));

const swapsOf = (rows: readonly Row[], initiators: string[] = ['alice']): unknown[] =>
  deriveSwaps(movementsOf(rows), { initiators, wrappedNative: WETH }).map(
    ({ owner, gaveAsset, gaveRaw, gotAsset, gotRaw, through }) =>
      `${owner}: ${gaveRaw} ${gaveAsset} > ${gotRaw} ${gotAsset} through ${through}`,
  );

test('the initiator of an exchange has a swap and the pool, its mirror image, has none', () => {
  const rows: Row[] = [
    ['alice', 'pool', 'usdc', 100],
    ['pool', 'alice', 'dai', 99],
  ];
  expect(swapsOf(rows)).toEqual(['alice: 100 usdc > 99 dai through pool']);
  expect(swapsOf(rows, ['nobody'])).toEqual([]);
});

test('a route over pools and a router that nets to zero is one swap of its two ends', () => {
  expect(
    swapsOf([
      ['alice', 'router', 'usdc', 100],
      ['router', 'pool1', 'usdc', 100],
      ['pool1', 'pool2', 'eurc', 90],
      ['pool2', 'router', 'dai', 99],
      ['router', 'alice', 'dai', 99],
    ]),
  ).toEqual(['alice: 100 usdc > 99 dai through router']);
});

test('wrapping and unwrapping the coin is no swap', () => {
  expect(
    swapsOf([
      ['alice', WETH, NATIVE, 5],
      [null, 'alice', WETH, 5, 'wrap'],
    ]),
  ).toEqual([]);
  expect(
    swapsOf([
      ['alice', null, WETH, 5, 'unwrap'],
      [WETH, 'alice', NATIVE, 5],
    ]),
  ).toEqual([]);
});

test('a swap paid in the coin and routed through its wrapped form is a swap of the coin', () => {
  expect(
    swapsOf([
      ['alice', 'router', NATIVE, 5],
      ['router', WETH, NATIVE, 5],
      [null, 'router', WETH, 5, 'wrap'],
      ['router', 'pool', WETH, 5],
      ['pool', 'alice', 'usdc', 900],
    ]),
  ).toEqual(['alice: 5 native > 900 usdc through pool']);
});

test('fees, rent and rewards are never a side of a swap', () => {
  for (const kind of ['fee', 'rent', 'reward', 'withdrawal', 'owner_change'] as const) {
    expect(
      swapsOf([
        ['alice', 'pool', NATIVE, 5, kind],
        ['pool', 'alice', 'usdc', 900],
      ]),
    ).toEqual([]);
  }
});

test('a tip beside an exchange is left out, a tip beside a gift is no exchange', () => {
  expect(
    swapsOf([
      ['alice', 'pool', 'usdc', 100],
      ['alice', 'tips', NATIVE, 1],
      ['pool', 'alice', 'bonk', 7],
    ]),
  ).toEqual(['alice: 100 usdc > 7 bonk through pool']);
  expect(
    swapsOf([
      ['alice', 'tips', NATIVE, 1],
      ['distributor', 'alice', 'bonk', 7],
    ]),
  ).toEqual([]);
});

test('a protocol fee that a router hands on is left out where another asset was exchanged', () => {
  expect(
    swapsOf([
      ['alice', 'router', NATIVE, 1],
      ['router', 'collector', NATIVE, 1],
      ['alice', 'router', 'usdc', 100],
      ['router', 'pool', 'usdc', 100],
      ['pool', 'alice', 'dai', 99],
    ]),
  ).toEqual(['alice: 100 usdc > 99 dai through pool']);
});

test('liquidity added or removed gives one swap for each asset', () => {
  expect(
    swapsOf([
      ['alice', 'pool', 'usdc', 100],
      ['alice', 'pool', 'dai', 100],
      [null, 'alice', 'lp', 10, 'mint'],
    ]),
  ).toEqual(['alice: 100 usdc > 10 lp through null', 'alice: 100 dai > 10 lp through null']);
  expect(
    swapsOf([
      ['alice', 'pool', 'lp', 10],
      ['pool', null, 'lp', 10, 'burn'],
      ['pool', 'alice', 'usdc', 100],
      ['pool', 'alice', 'dai', 100],
    ]),
  ).toEqual(['alice: 10 lp > 100 usdc through pool', 'alice: 10 lp > 100 dai through pool']);
});

test('what was destroyed was given, though nobody got it', () => {
  expect(
    swapsOf([
      ['alice', null, 'lp', 10, 'burn'],
      ['pool', 'alice', 'usdc', 100],
    ]),
  ).toEqual(['alice: 10 lp > 100 usdc through pool']);
});

test('of several pools that answered, the swap went through the one that gave most', () => {
  expect(
    swapsOf([
      ['alice', 'large', 'usdc', 70],
      ['alice', 'small', 'usdc', 30],
      ['large', 'alice', 'dai', 69],
      ['small', 'alice', 'dai', 30],
    ]),
  ).toEqual(['alice: 100 usdc > 99 dai through large']);
});

test('staking for a minted receipt is a swap through nobody', () => {
  expect(
    swapsOf([
      ['alice', 'lido', NATIVE, 10],
      [null, 'alice', 'steth', 10, 'mint'],
    ]),
  ).toEqual(['alice: 10 native > 10 steth through null']);
});

test('a swap whose fee another signer paid is its owner’s, whatever that one took for it and tipped', () => {
  const rows: Row[] = [
    ['relayer', null, NATIVE, 1, 'fee'],
    ['relayer', null, NATIVE, 2, 'rent'],
    ['relayer', 'tips', NATIVE, 3],
    ['alice', 'relayer', 'usdc', 4],
    ['alice', 'pool', 'usdc', 96],
    ['pool', 'alice', 'bonk', 7],
  ];
  expect(swapsOf(rows, ['relayer', 'alice'])).toEqual(['alice: 100 usdc > 7 bonk through pool']);
});

test('the owner of an order that a solver settles has the swap, the solver has none', () => {
  expect(
    swapsOf(
      [
        ['alice', 'settlement', 'usdc', 100, 'transfer', 'relayer'],
        ['settlement', 'pool', 'usdc', 100],
        ['pool', 'settlement', 'dai', 99],
        ['settlement', 'alice', 'dai', 99],
      ],
      ['solver'],
    ),
  ).toEqual(['alice: 100 usdc > 99 dai through settlement']);
});

test('an arbitrage that ends in the asset it began with is no swap', () => {
  expect(
    swapsOf([
      ['alice', 'pool1', 'usdc', 100],
      ['pool1', 'alice', 'dai', 101],
      ['alice', 'pool2', 'dai', 101],
      ['pool2', 'alice', 'usdc', 102],
    ]),
  ).toEqual([]);
});

test('a basket exchanged for a basket says nothing about what was exchanged for what', () => {
  const basket: Row[] = ['a', 'b', 'c'].flatMap((name): Row[] => [
    ['alice', 'pool', `given ${name}`, 1],
    ['pool', 'alice', `got ${name}`, 1],
  ]);
  expect(swapsOf(basket)).toEqual([]);
  expect(swapsOf(basket.slice(0, 4))).toHaveLength(4);
});

test('an owner whose amounts add up to more than 256 bits has no swap, and everybody else has theirs', () => {
  const MAX = 2n ** 256n - 1n;
  const forged: Row[] = [
    ['alice', 'pool', 'forged', MAX],
    ['pool', 'alice', 'dai', 99],
  ];
  const others: Row[] = [
    ['bob', 'pool', 'usdc', 100],
    ['pool', 'bob', 'dai', 99],
  ];
  expect(swapsOf(forged)).toEqual([`alice: ${MAX} forged > 99 dai through pool`]);
  const tooMuch: Row[] = [...forged, ['alice', 'pool', 'forged', 1]];
  expect(swapsOf([...tooMuch, ...others], ['alice', 'bob'])).toEqual(['bob: 100 usdc > 99 dai through pool']);
  // One of its pairs alone would be taken for a price.
  expect(swapsOf([...tooMuch, ['alice', 'pool', 'usdc', 5]])).toEqual([]);
});

test('rows of the block itself are no transaction and have no swap', () => {
  const rows = movementsOf([
    ['alice', 'pool', 'usdc', 1],
    ['pool', 'alice', 'dai', 1],
  ]).map((movement) => ({ ...movement, txIndex: null }));
  expect(deriveSwaps(rows, { initiators: ['alice'], wrappedNative: null })).toEqual([]);
});

const party = fc.constantFrom('alice', 'bob', 'pool', 'router', WETH, null);
const row: fc.Arbitrary<Row> = fc.tuple(
  party,
  party,
  fc.constantFrom(NATIVE, WETH, 'usdc', 'dai'),
  fc.nat(20),
  fc.constantFrom<MovementKind>('transfer', 'program', 'mint', 'burn', 'wrap', 'unwrap', 'fee', 'rent'),
  fc.constantFrom('alice', 'bob', 'relayer'),
);

/** The owner's net change, with the wrapped coin as the coin, worked out over all rows that can be exchanged. */
const netOf = (rows: readonly Row[], owner: string, asset: string): bigint =>
  rows.reduce((sum, [from, to, rowAsset, amount, kind]) => {
    if (kind === 'fee' || kind === 'rent' || from === to) return sum;
    if ((rowAsset === WETH ? NATIVE : rowAsset) !== asset) return sum;
    return sum + (to === owner ? BigInt(amount) : 0n) - (from === owner ? BigInt(amount) : 0n);
  }, 0n);

test('every swap states exactly what its owner gave and got on balance, of two different assets', () => {
  let seen = 0;
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const swaps = deriveSwaps(movementsOf(rows), { initiators: ['alice', 'bob'], wrappedNative: WETH });
      seen += swaps.length;
      swaps.forEach((swap, position) => {
        expect(swap.index).toBe(position);
        expect(swap.txIndex).toBe(7);
        expect(swap.gaveRaw).toBe(-netOf(rows, swap.owner, swap.gaveAsset));
        expect(swap.gotRaw).toBe(netOf(rows, swap.owner, swap.gotAsset));
        expect(swap.gaveRaw > 0n && swap.gotRaw > 0n).toBe(true);
      });
      expect(new Set(swaps.map((swap) => `${swap.owner} ${swap.gaveAsset} ${swap.gotAsset}`)).size).toBe(
        swaps.length,
      );
    }),
    { numRuns: 2_000 },
  );
  expect(seen).toBeGreaterThan(50);
});

test('however many set a transaction off, none of them is looked for anew with each row', () => {
  const count = 1_000;
  let looks = 0;
  const people = Array.from({ length: count }, (_, at) => `person ${at}`);
  const initiators = new Proxy(people, {
    get: (target, name) => {
      looks++;
      return Reflect.get(target, name);
    },
  });
  const rows = people.map(
    (_, at): Row => [`owner ${at}`, 'pool', at % 2 ? 'dai' : 'usdc', 1, 'transfer', 'x'],
  );
  expect(swapsOf(rows, initiators)).toEqual([]);
  expect(looks).toBeLessThan(5 * count);
});

test('wrapping and unwrapping on the way changes no swap', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 10 }),
      fc.constantFrom('alice', 'bob', 'pool'),
      (rows, wrapper) => {
        const wrapping: Row[] = [
          [wrapper, WETH, NATIVE, 3],
          [null, wrapper, WETH, 3, 'wrap'],
        ];
        expect(swapsOf([...rows, ...wrapping])).toEqual(swapsOf(rows));
      },
    ),
  );
});
