import { describe, expect, test } from 'vitest';
import { ask } from '../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../testing/chain-story.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const DOLLAR = 1_000_000n;

describe('money that the wallet destroyed is not said to be still there', () => {
  const usdc = { asset: USDC };
  const arrival = { time: 10, moves: [move('alice', 'bob', 100n * DOLLAR, usdc)] };
  const burn = (time: number, dollars: bigint): StoryStep => ({
    time,
    moves: [move('bob', null, dollars * DOLLAR, { ...usdc, kind: 'burn' })],
  });
  const pay = (...payees: readonly string[]): StoryStep => ({
    time: 20,
    moves: payees.map((payee) => move('bob', payee, 5n * DOLLAR, usdc)),
  });
  const endOf = async (...steps: readonly StoryStep[]) =>
    (await ask([arrival, ...steps], { chain: 'ethereum', family: USDC })).end;

  test('all of it', async () => {
    const end = await endOf(burn(30, 100n));
    expect(end).toMatchObject({ reason: 'at_rest', address: 'bob', holdingRaw: 0n });
    expect(end.detail).toContain('has sent none of it on (USDC). It destroyed 100 USDC since');
  });

  test('all but what was sent on', async () => {
    const { detail } = await endOf(pay('carol'), burn(30, 95n));
    expect(detail).toContain(
      'Only 5 USDC of the 100 USDC that arrived has left 0xB: the rest was destroyed there',
    );
    expect(detail).not.toContain('still there');
  });

  test('all but what was scattered', async () => {
    const { detail } = await endOf(pay('carol', 'dave', 'erin'), burn(30, 85n));
    expect(detail).toContain('the rest was destroyed there');
    expect(detail).not.toContain('still there');
  });

  test('a part of it', async () => {
    const { detail } = await endOf(pay('carol'), burn(30, 40n));
    expect(detail).toContain('the rest is still there, but for 40 USDC that was destroyed since');
  });

  test('but what was destroyed before it came is not told', async () => {
    const { detail } = await endOf(pay('carol'), burn(5, 40n));
    expect(detail).toContain('the rest is still there.');
  });
});
