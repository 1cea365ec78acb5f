import { describe, expect, test } from 'vitest';
import { ask, path } from '../../testing/ask-follow.ts';
import { move } from '../../testing/chain-story.ts';

const DOLLARS = { asset: 'usd' };
const sale = {
  ...{ time: 10, hash: 'sale', by: 'alice' },
  moves: [move('alice', 'pool', 100n), move('pool', 'carol', 7n, DOLLARS)],
};
const nextCustomer = { time: 20, moves: [move('pool', 'dave', 100n)] };

describe('money that was sold for somebody else', () => {
  test('ends the trail with what was got and who got it, and is not followed into the next customer', async () => {
    const trail = await ask([sale, nextCustomer]);
    expect(path(trail)).toEqual([]);
    expect(trail.end).toMatchObject({
      ...{ reason: 'dex_swap', address: 'carol', output: { asset: 'usd' } },
      ...{ signature: 'sale', timeUnixSeconds: 10 },
    });
    expect(trail.end.detail).toMatch(/alice sold .* through pool: carol got usd/);
  });

  test('can be followed on from that answer', async () => {
    const story = [sale, { time: 30, moves: [move('carol', 'eve', 7n, DOLLARS)] }];
    const { end } = await ask(story);
    if (end.reason !== 'dex_swap' || end.output === null) throw new Error(end.reason);
    const { asset: family } = end.output;
    const onward = await ask(story, { start: end.address, family, atUnixSeconds: end.timeUnixSeconds });
    expect(path(onward)).toEqual(['carol>eve']);
  });

  test('through several pools and a router ends with the last of them', async () => {
    const moves = [
      move('alice', 'pool', 100n),
      move('pool', 'second pool', 7n, DOLLARS),
      move('second pool', 'router', 3n, { asset: 'bonk' }),
      move('router', 'carol', 3n, { asset: 'bonk' }),
    ];
    const { end } = await ask([{ time: 10, by: 'alice', moves }, nextCustomer]);
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', output: { asset: 'bonk' } });
  });

  test('to an exchange, which pays its customers from the same wallet, ends at the exchange', async () => {
    const label = { name: 'Somebody Known', kind: 'exchange' } as const;
    const trail = await ask([sale, nextCustomer], {}, { pool: label });
    expect(path(trail)).toEqual(['alice>pool']);
    expect(trail.end).toMatchObject({ reason: 'exchange', address: 'pool' });
  });

  test('by a wallet on the way ends it there', async () => {
    const trail = await ask([{ time: 5, moves: [move('thief', 'alice', 100n)] }, sale, nextCustomer], {
      start: 'thief',
    });
    expect(path(trail)).toEqual(['thief>alice']);
    expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'carol' });
  });

  test('is not what happens where the same wallet pays another asset another time', async () => {
    const later = { time: 11, moves: [move('bob', 'shop', 7n, DOLLARS)] };
    const trail = await ask([{ time: 10, moves: [move('alice', 'bob', 100n)] }, later]);
    expect(path(trail)).toEqual(['alice>bob']);
    expect(trail.end.reason).toBe('at_rest');
  });

  test('backward ends with what was given and by whom', async () => {
    const bought = {
      time: 10,
      hash: 'buy',
      moves: [move('eve', 'pool', 7n, DOLLARS), move('pool', 'alice', 100n)],
    };
    const trail = await ask([{ time: 5, moves: [move('dave', 'pool', 100n)] }, bought], { backward: true });
    expect(path(trail)).toEqual([]);
    expect(trail.end).toMatchObject({ reason: 'dex_swap', address: 'eve', output: { asset: 'usd' } });
  });
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
