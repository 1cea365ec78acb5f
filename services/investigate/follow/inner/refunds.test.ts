import { describe, expect, test, vi } from 'vitest';
import { ask, path } from '../../../testing/ask-follow.ts';
import { move } from '../../../testing/chain-story.ts';
import { FORWARD } from '../direction.ts';
import { noRefunds, paymentKey, withoutRefunds } from './refunds.ts';

describe('money that comes back within the transaction that sent it off', () => {
  test('is still there, and followed when it leaves', async () => {
    const round = [move('alice', 'dave', 50n), move('dave', 'hub', 50n), move('hub', 'dave', 50n)];
    const trail = await ask([
      { time: 10, by: 'alice', moves: round },
      { time: 20, moves: [move('dave', 'cash', 50n)] },
    ]);
    expect(path(trail)).toEqual(['alice>dave', 'dave>cash']);
    expect(trail.hops.flatMap(({ through }) => through)).toEqual([]);
    const resting = await ask([{ time: 10, by: 'alice', moves: round }]);
    expect(resting.end).toMatchObject({ reason: 'at_rest', address: 'dave', holdingRaw: 50n });
  });

  test('may have gone round through any number of contracts, and only in part', async () => {
    const moves = [
      ...[move('alice', 'router', 50n), move('router', 'first', 50n), move('first', 'second', 30n)],
      ...[move('second', 'router', 30n), move('router', 'bob', 30n), move('first', 'bob', 20n)],
    ];
    const trail = await ask([{ time: 10, by: 'alice', moves }]);
    expect(path(trail)).toEqual(['alice>bob']);
    expect(trail.hops[0]?.through.map(({ address }) => address)).toEqual(['router']);
    expect(trail.hops[0]).toMatchObject({ amountRaw: 30n });
  });

  test('never left the start wallet either', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'hub', 50n), move('hub', 'alice', 50n)] },
      { time: 20, moves: [move('alice', 'cash', 9n)] },
    ]);
    expect(path(trail)).toEqual(['alice>cash']);
    expect(trail.hops[0]).toMatchObject({ amountRaw: 9n, share: 1 });
  });

  test('is taken off whatever was paid in several rows, in whatever order they stand', async () => {
    const moves = [
      ...[move('fay', 'eve', 100n), move('eve', 'bea', 98n), move('eve', 'alice', 98n)],
      ...[move('bea', 'eve', 98n), move('bea', 'eve', 100n)],
    ];
    const [told, other] = await Promise.all(
      [moves, moves.toReversed()].map((rows) => ask([{ time: 10, moves: rows }], { backward: true })),
    );
    expect(other).toEqual(told);
  });

  test('is where it came from backward', async () => {
    const trail = await ask(
      [
        { time: 5, moves: [move('eve', 'dave', 50n)] },
        {
          ...{ time: 10, by: 'dave' },
          moves: [move('dave', 'hub', 50n), move('hub', 'dave', 50n), move('dave', 'alice', 50n)],
        },
      ],
      { backward: true },
    );
    expect(path(trail)).toEqual(['alice>dave', 'dave>eve']);
  });

  test.each([
    ['one contract', [move('bob', 'router', 100n), move('router', 'bob', 100n)]],
    [
      'two contracts',
      [move('bob', 'router', 100n), move('router', 'vault', 100n), move('vault', 'bob', 100n)],
    ],
  ])("is nobody else's receipt, forward or backward, though it came through %s", async (_, round) => {
    const forward = [
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, by: 'bob', moves: round },
      { time: 30, moves: [move('bob', 'cash', 90n)] },
    ];
    expect(path(await ask(forward))).toEqual(['alice>bob', 'bob>cash']);
    const backward = [
      { time: 10, moves: [move('thief', 'bob', 90n)] },
      { time: 20, by: 'bob', moves: round },
      { time: 30, moves: [move('bob', 'alice', 100n)] },
    ];
    expect(path(await ask(backward, { backward: true }))).toEqual(['alice>bob', 'bob>thief']);
  });

  test.each([1, 999])('is taken off once of two payments with %i others between them', async (others) => {
    const dust = Array.from({ length: others }, (_, n) => move('bob', `dust-${n}`, 1n));
    const paid = move('bob', 'router', 100_000n);
    const trail = await ask([
      { time: 10, moves: [move('alice', 'bob', 200_000n)] },
      { time: 20, by: 'bob', moves: [paid, ...dust, paid, move('router', 'bob', 100_000n)] },
      { time: 30, moves: [move('router', 'cash', 100_000n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>router', 'router>cash']);
  });

  test.each([
    ['less', 60n],
    ['many times as much', 9_000n],
  ])('is not what passed two wallets that were lent %s for it, and gave that back', async (_, loan) => {
    const lent = (to: string) => [move('lender', to, loan), move(to, 'lender', loan)];
    const story = [
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      { time: 20, by: 'bob', moves: [...lent('bob'), move('bob', 'carol', 100n), ...lent('carol')] },
      { time: 30, moves: [move('lender', 'innocent', 100n)] },
      { time: 40, moves: [move('carol', 'cash', 100n)] },
    ];
    const trail = await ask(story);
    expect(path(trail)).toEqual(['alice>bob', 'bob>carol', 'carol>cash']);
    const back = await ask(story, { start: 'cash', backward: true });
    expect(path(back)).toEqual(['cash>carol', 'carol>bob', 'bob>alice']);
  });

  test('is a loop where it comes back with a later transaction', async () => {
    const trail = await ask([
      { time: 10, moves: [move('alice', 'dave', 50n)] },
      { time: 15, moves: [move('dave', 'hub', 50n)] },
      { time: 20, moves: [move('hub', 'dave', 50n)] },
    ]);
    expect(trail.end).toMatchObject({ reason: 'loop', address: 'dave' });
  });
});

test('the refunds of a transaction are looked up, however many the flow has', () => {
  const refunds = noRefunds();
  const at = (blockNumber: number) => ({ blockTime: blockNumber, blockNumber, txIndex: 0 });
  for (let n = 0; n < 1_000; n += 1) refunds.raw.set(paymentKey(at(n), 'ann', 'bea'), 1n);
  const everyOne = vi.spyOn(refunds.raw as Map<string, bigint>, Symbol.iterator);
  const paid = { hash: '', sender: 'ann', from: 'ann', to: 'bea', canonicalAsset: 'native', authority: null };
  const left = Array.from({ length: 1_000 }, (_, n) =>
    withoutRefunds([{ ...at(n), ...paid, amountRaw: 3n }], refunds, FORWARD),
  );
  expect(left.every(([row]) => row?.amountRaw === 2n)).toBe(true);
  expect(everyOne).not.toHaveBeenCalled();
});
