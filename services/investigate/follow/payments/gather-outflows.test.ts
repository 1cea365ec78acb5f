import { describe, expect, test } from 'vitest';
import { ask, path } from '../../../testing/ask-follow.ts';
import { move } from '../../../testing/chain-story.ts';

/** More payments in one transaction than a first page holds. */
const dust = Array.from({ length: 1_000 }, (_, n) => move('hub', `payee-${n}`, 1n));

describe('what is paid by a transaction that the first page holds in part', () => {
  test('is told whatever the order of its rows', async () => {
    const cash = move('hub', 'cash', 1_000n);
    for (const moves of [
      [cash, ...dust],
      [...dust, cash],
    ]) {
      const trail = await ask([
        { time: 5, moves: [move('customers', 'hub', 1_000n)] },
        { time: 10, moves: [move('alice', 'hub', 1_000n)] },
        { time: 20, by: 'hub', moves },
      ]);
      expect(path(trail)).toEqual(['alice>hub', 'hub>cash']);
    }
  });

  test("is nobody else's money, whatever their order", async () => {
    const paid = [move('hub', 'stranger', 5_000n), move('hub', 'cash', 2_000n)];
    for (const moves of [
      [...paid, ...dust],
      [...dust, ...paid],
    ]) {
      const trail = await ask([
        { time: 10, moves: [move('alice', 'hub', 2_000n)] },
        { time: 11, moves: [move('customer', 'hub', 5_000n)] },
        { time: 20, by: 'hub', moves },
      ]);
      expect(path(trail)).toEqual(['alice>hub', 'hub>cash']);
    }
  });
});

describe('crumbs paid before it', () => {
  const crumbs = (of: (n: number) => ReturnType<typeof move>) =>
    Array.from({ length: 2_500 }, (_, n) => ({ time: 2_000 + n, moves: [of(n)] }));

  test('leave nobody else’s money to be taken for the followed', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'hub', 100_000n)] },
      ...crumbs((n) => move('hub', `payee-${n}`, 1n)),
      { time: 5_000, moves: [move('customer', 'hub', 90_000n)] },
      { time: 5_100, moves: [move('hub', 'stranger', 90_000n)] },
      { time: 6_000, moves: [move('hub', 'cash', 99_000n)] },
    ]);
    expect(path(trail)).toEqual(['alice>hub', 'hub>cash']);
  });

  test('leave nobody else’s money to be taken for it backward either, though a page holds more than enough', async () => {
    const larger = Array.from({ length: 1_500 }, (_, n) => ({
      time: 20,
      moves: [move(`old-${n}`, 'hub', 50n)],
    }));
    const trail = await ask(
      [
        ...larger,
        { time: 1_000, moves: [move('thief', 'hub', 100_000n)] },
        { time: 1_100, moves: [move('stranger', 'hub', 90_000n)] },
        { time: 1_200, moves: [move('hub', 'customer', 89_000n)] },
        ...crumbs((n) => move(`payer-${n}`, 'hub', 1n)),
        { time: 6_000, moves: [move('hub', 'cash', 99_000n)] },
      ],
      { start: 'cash', backward: true },
    );
    expect(path(trail)).toEqual(['cash>hub', 'hub>thief']);
  });
});
