import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { ask, buys, create, funds, later, T, token, USDC } from '../../testing/insiders-story.ts';
import { ROWS_AT_ONCE } from './rules.ts';

test('a transaction filled with rows hides no buyer behind it, and that it was not read is said', async () => {
  const filled = (rows: number): StoryStep => ({
    ...{ time: T + 2, hash: 'filled', by: 'creator' },
    moves: [
      move('curve', 'friend', 1n, token),
      ...Array.from({ length: rows }, () => move('creator', 'x', 1n, { asset: USDC })),
    ],
  });
  const told = (rows: number) =>
    ask([funds(9, 'hub', 'creator'), create, filled(rows), buys(5, 'ann'), later]);
  const [plain, hidden] = [await told(1), await told(ROWS_AT_ONCE)];
  expect([plain.scope, plain.totals.earlyBuyers]).toEqual(['full', 1]);
  expect([hidden.scope, hidden.totals.earlyBuyers]).toEqual(['partial', 1]);
  expect(hidden.gaps.join()).toContain('1 transaction has too many rows to be read.');
});
