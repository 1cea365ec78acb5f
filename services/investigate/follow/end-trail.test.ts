import { describe, expect, test } from 'vitest';
import { ask, type Question } from '../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../testing/chain-story.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const DOLLAR = 1_000_000n;

describe('an amount that only the request names is not said to have arrived, nor to be still there', () => {
  const story = [
    { time: 10, moves: [move('alice', 'bob', 10n ** 19n)] },
    { time: 20, moves: [move('bob', 'carol', 10n ** 19n)] },
    { time: 30, moves: [move('dave', 'erin', 3n), move('dave', 'fay', 3n), move('dave', 'gus', 3n)] },
  ];
  const endOf = async (question: Question) => (await ask(story, { chain: 'ethereum', ...question })).end;

  test('nothing of which may be left', async () => {
    const end = await endOf({ start: 'bob', atUnixSeconds: 10, amount: 1e19 });
    expect(end).toMatchObject({ reason: 'at_rest', address: 'bob', holdingRaw: 0n });
    expect(end.detail).toBe(
      'As of block 31, 1970-01-01T00:00:30.000Z: Only 10 ETH of the 10,000,000,000,000,000,000 ETH that the request names has left 0xB: only the request says that there was more.',
    );
  });

  test('where it was scattered', async () => {
    const { detail } = await endOf({ start: 'dave', atUnixSeconds: 10, amount: 20e-18 });
    expect(detail).toContain('that the request names has left');
    expect(detail).not.toContain('still there');
  });

  test('and backward not to have been there before', async () => {
    const { detail } = await endOf({ start: 'bob', atUnixSeconds: 20, amount: 1e19, backward: true });
    expect(detail).toContain(
      'that the request names had come from anybody: only the request says that there was more',
    );
  });
});

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
    (await ask([arrival, ...steps], { chain: 'ethereum', canonicalAsset: USDC })).end;

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

test('money at an address without a key is burnt, and such a start that nobody has seen is no data', async () => {
  const dead = '0x000000000000000000000000000000000000dead';
  const story: StoryStep[] = [{ time: 1_700_000_000, by: 'alice', moves: [move('alice', dead, 5n)] }];
  const { end } = await ask(story, { chain: 'ethereum' });
  expect(end).toMatchObject({ reason: 'at_rest', address: dead, why: { type: 'burnt' } });
  const other = '0x0000000000000000000000000000000000000000';
  const unseen = await ask(story, { chain: 'ethereum', start: other });
  expect(unseen.end).toMatchObject({ reason: 'no_data', address: other });
});
