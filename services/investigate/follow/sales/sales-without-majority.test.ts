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

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const DOLLARS = { asset: USDC };
const DOLLAR = 1_000_000n;

describe('what nobody got most of, sold through several pools', () => {
  const part = (n: number, amountRaw = 30n, by = 'alice') => ({
    ...{ time: 20 + n, hash: `sold-${n}`, by },
    moves: [move(by, `pool ${n}`, amountRaw), move(`pool ${n}`, 'carol', (3n + BigInt(n)) * DOLLAR, DOLLARS)],
  });
  const story = [
    { time: 10, moves: [move('thief', 'alice', 100n)] },
    ...[part(1), part(2), part(3)],
    { time: 30, moves: [move('alice', 'shop', 10n)] },
    { time: 40, moves: [move('pool 1', 'dave', 30n), move('pool 2', 'erin', 30n)] },
  ];

  test('is one sale, beside which the rest is named', async () => {
    const trail = await ask(story, { start: 'thief' });
    expect(path(trail)).toEqual(['thief>alice']);
    expect(trail.end).toMatchObject({
      ...{ reason: 'dex_swap', address: 'carol', signature: 'sold-1', timeUnixSeconds: 21 },
      ...{ output: { asset: USDC, amountRaw: 4n * DOLLAR } },
      others: [{ to: 'pool 2', amountRaw: 30n }, { to: 'pool 3' }, { to: 'shop', amountRaw: 10n }],
    });
    expect(trail.end.detail).toContain(
      'alice sold 0.00000009 SOL through pool 1, pool 2, pool 3: carol got USDC',
    );
    expect(trail.isComplete).toBe(true);
  });

  test('backward, what was got through them is', async () => {
    const got = (n: number) => ({
      ...{ time: 20 + n, hash: `got-${n}`, by: 'alice' },
      moves: [move('carol', `pool ${n}`, 3n * DOLLAR, DOLLARS), move(`pool ${n}`, 'alice', 30n)],
    });
    const { end } = await ask([got(1), got(2), got(3)], { backward: true });
    expect(end).toMatchObject({ reason: 'dex_swap', address: 'carol', output: { asset: USDC } });
  });

  test('is none where less than half was sold, or an exchange paid it out', async () => {
    const paid = ['x', 'y', 'z'].map((to, n) => ({ time: 30 + n, moves: [move('alice', to, 30n)] }));
    const few = [part(1, 10n), ...paid];
    expect((await ask(few)).end.reason).toBe('split');
    const exchange = { name: 'Some Exchange', kind: 'exchange' as const };
    const labels = { 'pool 1': exchange, 'pool 2': exchange, 'pool 3': exchange };
    expect((await ask(story, {}, labels)).end.reason).not.toBe('dex_swap');
  });

  test('asks for no whole transactions but those that a wallet without a majority is decided by', async () => {
    const { asked, counting } = countQuestions(readStory(story));
    await follow(toFollowRequest({ start: 'thief' }), followWith(counting));
    expect(asked.filter(({ name }) => name === 'wholeTransactions')).toHaveLength(2);
  });
});
