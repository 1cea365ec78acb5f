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
