import { describe, expect, test } from 'vitest';
import {
  ask,
  countQuestions,
  followAndTell as follow,
  followWith,
  path,
  readStory,
  toFollowRequest,
} from '../../../testing/ask-follow.ts';
import { move } from '../../../testing/chain-story.ts';
import type { TransferReader } from '../../model/transfer-reader.ts';
import { TIME_BUDGET_MS } from '../rules.ts';

const [USDC, USDT] = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
];
const DOLLARS = { asset: USDC };
const DOLLAR = 1_000_000n;
const sale = {
  ...{ time: 10, hash: 'sale', by: 'alice' },
  moves: [move('alice', 'pool', 100n), move('pool', 'carol', 7n * DOLLAR, DOLLARS)],
};
const nextCustomer = { time: 20, moves: [move('pool', 'dave', 100n)] };

describe('money that was sold for somebody else', () => {
  test('ends the trail with what was got and who got it, and is not followed into the next customer', async () => {
    const trail = await ask([sale, nextCustomer]);
    expect(path(trail)).toEqual([]);
    expect(trail.end).toMatchObject({
      ...{ reason: 'dex_swap', address: 'carol', output: { asset: USDC } },
      ...{ signature: 'sale', timeUnixSeconds: 10 },
    });
    expect(trail.end.detail).toMatch(/alice sold .* through pool: carol got USDC/);
  });

  test('can be followed on from that answer', async () => {
    const story = [sale, { time: 30, moves: [move('carol', 'eve', 7n * DOLLAR, DOLLARS)] }];
    const { end } = await ask(story);
    if (end.reason !== 'dex_swap' || end.output === null) throw new Error(end.reason);
    const { asset: canonicalAsset } = end.output;
    const onward = await ask(story, {
      start: end.address,
      canonicalAsset,
      atUnixSeconds: end.timeUnixSeconds,
    });
    expect(path(onward)).toEqual(['carol>eve']);
  });

  test('through several pools and a router ends with the last of them', async () => {
    const moves = [
      move('alice', 'pool', 100n),
      move('pool', 'second pool', 7n * DOLLAR, DOLLARS),
      move('second pool', 'router', 3n * DOLLAR, { asset: USDT }),
      move('router', 'carol', 3n * DOLLAR, { asset: USDT }),
    ];
    const { end } = await ask([{ time: 10, by: 'alice', moves }, nextCustomer]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', output: { asset: USDT } });
  });

  test('to an exchange, which pays its customers from the same wallet, ends at the exchange', async () => {
    const label = { name: 'Somebody Known', kind: 'exchange' } as const;
    const trail = await ask([sale, nextCustomer], {}, { pool: label });
    expect(path(trail)).toEqual(['alice>pool']);
    expect(trail.end).toMatchObject({ reason: 'exchange', address: 'pool' });
  });

  test('is not what a wallet does that sends the transaction itself and pays a tip by it', async () => {
    const takes = {
      ...{ time: 10, by: 'thief' },
      moves: [move('alice', 'thief', 1_000n, { ...DOLLARS, authority: 'thief' }), move('thief', 'tips', 1n)],
    };
    const cash = { time: 20, moves: [move('thief', 'cashout', 1_000n, DOLLARS)] };
    expect(path(await ask([takes, cash], { canonicalAsset: USDC }))).toEqual([
      'alice>thief',
      'thief>cashout',
    ]);
  });

  test('is not what a smart account does that refunds gas to whoever sent its transaction', async () => {
    const [usdc, usdt] = [
      '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      '0xdac17f958d2ee523a2206206994597c13d831ec7',
    ];
    const story = (refundRaw: bigint) => [
      {
        ...{ time: 10, by: 'relayer' },
        moves: [
          move('alice', 'safe', 1_000_000n, { asset: usdc }),
          move('safe', 'relayer', refundRaw, { asset: usdt }),
        ],
      },
      { time: 20, moves: [move('safe', 'cashout', 1_000_000n, { asset: usdc })] },
    ];
    const question = { chain: 'ethereum', canonicalAsset: usdc };
    expect(path(await ask(story(99_999n), question))).toEqual(['alice>safe', 'safe>cashout']);
    expect((await ask(story(100_000n), question)).end).toMatchObject({
      reason: 'dex_swap',
      address: 'relayer',
    });
  });

  test('was for what is worth most of all that was paid, in whatever order', async () => {
    const [given, ...got] = [
      move('alice', 'pool', 100n),
      move('pool', 'carol', 7_000n * DOLLAR, DOLLARS),
      move('pool', 'referrer', 1n, { asset: 'points' }),
    ];
    for (const moves of [got, got.toReversed()]) {
      const { end } = await ask([
        { time: 10, by: 'alice', moves: [given, ...moves].flatMap((one) => one ?? []) },
      ]);
      expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', output: DOLLARS });
    }
  });

  test('in several transactions begins with the first, and what was not sold is named', async () => {
    const part = (time: number, hash: string, amountRaw: bigint) => ({
      ...{ time, hash, by: 'alice' },
      moves: [move('alice', 'pool', amountRaw), move('pool', 'carol', DOLLAR, DOLLARS)],
    });
    const besides = { time: 30, moves: [move('alice', 'dave', 20n)] };
    const { end } = await ask([part(10, 'first', 40n), part(20, 'largest', 60n), besides]);
    expect(end).toMatchObject({ reason: 'dex_swap', signature: 'largest', timeUnixSeconds: 10 });
    expect(end).toMatchObject({ others: [{ from: 'alice', to: 'dave', amountRaw: 20n }] });
  });

  describe('in part', () => {
    const plain = (time: number, amountRaw: bigint) => ({
      ...{ time, hash: `plain-${time}` },
      moves: [move('alice', 'pool', amountRaw)],
    });
    const sold = (time: number, amountRaw: bigint) => ({
      ...{ time, hash: `sold-${time}`, by: 'alice' },
      moves: [move('alice', 'pool', amountRaw), move('pool', 'carol', DOLLAR, DOLLARS)],
    });
    const cash = { time: 90, moves: [move('pool', 'cash', 100n)] };

    test('leaves the rest to be followed, though the part is the largest payment', async () => {
      const pieces = [10, 11, 12, 13, 14, 15].map((time) => plain(time, 15n));
      expect(path(await ask([...pieces, sold(20, 20n), cash]))).toEqual(['alice>pool', 'pool>cash']);
    });

    test('ends the trail where it is most, though the largest payment is not of it', async () => {
      const pieces = [10, 11, 12, 13, 14, 15].map((time) => sold(time, 15n + BigInt(time % 2)));
      const { hops, end } = await ask([plain(5, 20n), ...pieces, cash]);
      expect(hops).toEqual([]);
      expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', signature: 'sold-11' });
      expect(end.detail).toContain('alice sold 0.000000093 SOL through pool');
    });

    test('began with the first of it, and what was paid beside it is named', async () => {
      const { end } = await ask([plain(5, 40n), sold(10, 40n), sold(20, 60n), plain(30, 10n)]);
      expect(end).toMatchObject({ signature: 'sold-20', timeUnixSeconds: 10 });
      expect(end).toMatchObject({
        others: [{ to: 'pool', amountRaw: 50n, signature: 'plain-5', sinceUnixSeconds: 5, output: null }],
      });
    });

    test('is judged by the twenty largest of more payments, and may have begun with any of the others', async () => {
      const small = Array.from({ length: 30 }, (_, n) => plain(10 + n, 2n));
      const large = Array.from({ length: 20 }, (_, n) => sold(50 + n, 3n));
      const { end } = await ask([...small, ...large]);
      expect(end).toMatchObject({ reason: 'dex_swap', signature: 'sold-50', timeUnixSeconds: 10 });
      expect(end.detail).toContain('alice sold 0.00000006 SOL');
      expect(end.detail).toContain(
        'This rests on 20 of 50 payments of 0.00000012 SOL; the others were not checked',
      );
    });

    test('is none where only a small part could be read', async () => {
      const full = Array.from({ length: 150 }, (_, n) => move(`x${n}`, `y${n}`, 1n, { asset: 'junk' }));
      const story = [
        { time: 5, moves: [move('victim', 'alice', 100n)] },
        ...[sold(10, 10n), { ...plain(20, 90n), moves: [...full, ...plain(20, 90n).moves] }],
        { time: 30, moves: [move('pool', 'cash', 90n)] },
      ];
      const memory = readStory(story);
      const reader: TransferReader = {
        ...memory,
        wholeTransactions: (common, ...asked) =>
          memory.wholeTransactions({ ...common, limit: 100 }, ...asked),
      };
      const request = toFollowRequest({ start: 'victim', atUnixSeconds: 0 });
      const { hops, end } = await follow(request, followWith(reader));
      expect(hops.map(({ to }) => to)).toEqual(['alice', 'pool', 'cash']);
      expect(end.detail).toContain('may have been sold');
    });
  });

  describe('for several recipients', () => {
    const part = (time: number, to: string, amountRaw: bigint) => ({
      ...{ time, hash: `for-${to}`, by: 'alice' },
      moves: [move('alice', 'pool', amountRaw), move('pool', to, (amountRaw / 10n) * DOLLAR, DOLLARS)],
    });
    const story = [part(10, 'carol', 40n), part(20, 'dan', 30n), part(30, 'eve', 30n)];

    test('ends with the one who got most, and names all others with what was sold for them', async () => {
      const { end } = await ask(story);
      expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', signature: 'for-carol' });
      expect(end).toMatchObject({
        others: [
          {
            ...{ from: 'alice', to: 'pool', amountRaw: 30n, signature: 'for-dan', sinceUnixSeconds: 20 },
            output: { asset: USDC, recipient: 'dan' },
          },
          { signature: 'for-eve', output: { asset: USDC, recipient: 'eve' } },
        ],
      });
      for (const name of ['carol', 'dan', 'eve']) expect(end.detail).toContain(`${name} got USDC for`);
    });

    test('leads on to each of them', async () => {
      const { end } = await ask(story);
      const [, last] = end.reason === 'dex_swap' ? (end.others ?? []) : [];
      if (!last?.output) throw new Error(end.reason);
      const { recipient: start, asset: canonicalAsset } = last.output;
      const spent = { time: 40, moves: [move('eve', 'cash', 3n * DOLLAR, DOLLARS)] };
      const onward = await ask([...story, spent], {
        start,
        canonicalAsset,
        atUnixSeconds: last.sinceUnixSeconds,
      });
      expect(path(onward)).toEqual(['eve>cash']);
    });

    test('names each asset that one recipient got', async () => {
      const tether = {
        ...story[1],
        moves: [move('alice', 'pool', 30n), move('pool', 'carol', DOLLAR, { asset: USDT })],
      };
      const { end } = await ask([part(10, 'carol', 40n), { time: 20, ...tether }]);
      expect(end).toMatchObject({ address: 'carol', output: { asset: USDC } });
      expect(end).toMatchObject({
        others: [{ amountRaw: 30n, output: { asset: USDT, recipient: 'carol' } }],
      });
    });
  });

  test('by a wallet on the way ends it there', async () => {
    const trail = await ask([{ time: 5, moves: [move('thief', 'alice', 100n)] }, sale, nextCustomer], {
      start: 'thief',
    });
    expect(path(trail)).toEqual(['thief>alice']);
    expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
  });

  test('is not what happens where the same wallet pays another asset another time', async () => {
    const later = { time: 11, moves: [move('bob', 'shop', 7n * DOLLAR, DOLLARS)] };
    const trail = await ask([{ time: 10, moves: [move('alice', 'bob', 100n)] }, later]);
    expect(path(trail)).toEqual(['alice>bob']);
    expect(trail.end.reason).toBe('at_rest');
  });

  test('is seen before a busy pool is read for where it went', async () => {
    const customers = Array.from({ length: 40 }, (_, n) => ({
      time: 20 + n,
      moves: [move('pool', `customer ${n}`, 90n), move(`seller ${n}`, 'pool', 90n)],
    }));
    const { asked, counting } = countQuestions(
      readStory([{ time: 5, moves: [move('thief', 'alice', 100n)] }, sale, ...customers]),
    );
    const pages = { firstRows: 5, nextRows: 5, maxRows: 1_000 };
    const request = toFollowRequest({ start: 'thief' });
    const trail = await follow(request, followWith(counting), { budgetMs: TIME_BUDGET_MS, pages });
    expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
    const ofPool = asked.filter(({ wallet }) => wallet === 'pool').map(({ name }) => name);
    expect(ofPool).toEqual(['departures without swaps']);
    expect(asked.filter(({ name }) => name === 'wholeTransactions')).toHaveLength(1);
  });

  test('out of a start that is a service says so', async () => {
    const { end } = await ask([sale], {}, { alice: { name: 'Some Exchange', kind: 'exchange' } });
    expect(end.reason).toBe('dex_swap');
    expect(end.detail).toContain('belongs to its customers');
  });

  test('backward ends with what was given and by whom', async () => {
    const bought = {
      time: 10,
      hash: 'buy',
      moves: [move('eve', 'pool', 7n * DOLLAR, DOLLARS), move('pool', 'alice', 100n)],
    };
    const trail = await ask([{ time: 5, moves: [move('dave', 'pool', 100n)] }, bought], { backward: true });
    expect(path(trail)).toEqual([]);
    expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'eve', output: { asset: USDC } });
  });
});

test('less than a dollar is no proceeds, though nobody knows what the money was worth', async () => {
  const story = (gotRaw: bigint) => [
    { time: 10, by: 'alice', moves: [move('alice', 'bob', 100n), move('bob', 'carol', gotRaw, DOLLARS)] },
    { time: 20, moves: [move('bob', 'cash', 100n)] },
  ];
  expect(path(await ask(story(DOLLAR - 1n)))).toEqual(['alice>bob', 'bob>cash']);
  expect((await ask(story(DOLLAR))).end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
});

describe('a known dex', () => {
  const labels = { pool: { name: 'Some Pool', kind: 'dex' as const } };

  test('ends a trail with a swap though the transaction does not tell what was got', async () => {
    const trail = await ask(
      [{ time: 10, hash: 'in', moves: [move('alice', 'pool', 100n)] }, nextCustomer],
      {},
      labels,
    );
    expect(path(trail)).toEqual(['alice>pool']);
    expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'pool', output: null, signature: 'in' });
  });

  test('that pays out in the transaction that paid it is looked through', async () => {
    const moves = [move('alice', 'pool', 100n), move('pool', 'bob', 100n)];
    const trail = await ask([{ time: 10, by: 'alice', moves }], {}, labels);
    expect(path(trail)).toEqual(['alice>bob']);
  });
});
