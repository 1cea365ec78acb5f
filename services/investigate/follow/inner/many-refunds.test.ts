import { describe, expect, test } from 'vitest';
import {
  ask,
  countQuestions,
  followWith,
  path,
  readStory,
  toFollowRequest,
} from '../../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { follow } from '../follow.ts';

/** A trail whose reads take a second each, on the clock that it is told. */
const slowly = async (story: readonly StoryStep[], question = {}) => {
  const { asked, counting } = countQuestions(readStory(story));
  const clock = { nowUnixMs: () => asked.length * 1_000 };
  return follow(toFollowRequest(question), { ...followWith(counting), clock });
};

const cycles = (count: number, through: (n: number) => readonly string[]): StoryStep[] =>
  Array.from({ length: count }, (_, n) => {
    const way = ['bob', ...through(n), 'bob'];
    const moves = way.slice(1).map((to, at) => move(way[at] ?? '', to, 100n));
    return { time: 20 + n, by: 'bob', moves };
  });

describe('money that went round in hundreds of transactions', () => {
  test.each([
    ['through one contract', () => ['contract']],
    ['through another one each time', (n: number) => [`contract ${n}`]],
    ['through two each time', (n: number) => [`router ${n % 7}`, `vault ${n}`]],
  ])('is followed in time, %s, forward and backward', async (_, through) => {
    const story = [
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      ...cycles(300, through),
      { time: 9_000, moves: [move('bob', 'cash', 100n)] },
    ];
    const trail = await slowly(story);
    expect(path(trail)).toEqual(['alice>bob', 'bob>cash']);
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'cash' });
    const back = await slowly(story, { start: 'cash', backward: true });
    expect(path(back)).toEqual(['cash>bob', 'bob>alice']);
  });

  test('is followed in time though ten thousand crumbs came behind it', async () => {
    const senders = Array.from({ length: 10_000 }, (_, n) => move(`s${n % 50}`, 'bob', 1n));
    const trail = await slowly([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      ...cycles(60, (n) => [`contract ${n}`]),
      { time: 8_000, by: 'spammer', moves: senders },
      { time: 9_000, moves: [move('bob', 'cash', 100n)] },
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>cash']);
    expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'cash' });
  });

  test('is still paid where only a little of it was refunded', async () => {
    const refunded = {
      ...{ time: 400, by: 'bob', hash: 'refunded' },
      moves: [move('bob', 'shop', 90n), move('shop', 'bob', 5n)],
    };
    const onward = { time: 9_000, moves: [move('shop', 'cash', 90n)] };
    const trail = await slowly([
      { time: 10, moves: [move('alice', 'bob', 100n)] },
      ...[...cycles(3, () => ['contract']), refunded, onward],
    ]);
    expect(path(trail)).toEqual(['alice>bob', 'bob>shop', 'shop>cash']);
    expect(trail.hops[1]).toMatchObject({ amountRaw: 90n, signature: 'refunded' });
  });

  test('is not walked for ever where contracts on the way were lent something beside it', async () => {
    const moves = [
      ...[move('cyd', 'eve', 673n), move('cyd', 'ann', 342n), move('cyd', 'fay', 332n)],
      ...[move('eve', 'cyd', 674n), move('ann', 'eve', 99n)],
    ];
    const story = [
      { time: 1, moves: [move('ann', 'cyd', 98n), move('ann', 'fay', 1n)] },
      { time: 1, moves },
    ];
    const trail = await slowly(story, { start: 'ann' });
    expect(trail.end.reason).not.toBe('max_hops');
  });

  test('is the same whatever the order of their rows', async () => {
    const moves = [
      ...[move('cyd', 'dot', 28n), move('eve', 'fay', 40n), move('fay', 'alice', 100n)],
      ...[move('dot', 'eve', 100n), move('fay', 'cyd', 14n), move('alice', 'dot', 27n)],
    ];
    const orders = moves.flatMap((_, at) => {
      const turned = [...moves.slice(at), ...moves.slice(0, at)];
      return [turned, turned.toReversed()];
    });
    const told = orders.map(async (rows) => {
      const { hops } = await ask([{ time: 10, by: 'alice', moves: rows }], { backward: true });
      return hops.map(({ to, amountRaw }) => `${to} ${amountRaw}`).join();
    });
    expect(new Set(await Promise.all(told)).size).toBe(1);
  });

  describe('some of them through a wallet before it', () => {
    const back = (time: number, amountRaw: bigint): StoryStep => ({
      ...{ time, by: 'bob' },
      moves: [move('bob', 'alice', amountRaw), move('alice', 'bob', amountRaw)],
    });
    const arrival = { time: 10, moves: [move('alice', 'bob', 100n)] };
    const told = ({ hops }: Awaited<ReturnType<typeof ask>>) =>
      hops.map(({ from, to, amountRaw, share }) => `${from}>${to} ${amountRaw} ${share}`);

    test.each([1, 12])('counts on no part of the way, %i times', async (count) => {
      const swings = Array.from({ length: count }, (_, n) => back(30 + n, 100n));
      const onward = { time: 90, moves: [move('bob', 'cash', 100n)] };
      const trail = await ask([arrival, ...cycles(1, () => ['contract']), ...swings, onward]);
      expect(told(trail)).toEqual(['alice>bob 100 1', 'bob>cash 100 1']);
      expect(trail.end).toMatchObject({ reason: 'at_rest', address: 'cash' });
    });

    test('leaves it where it is that only a part of it moved on', async () => {
      const swings = Array.from({ length: 4 }, (_, n) => back(30 + n, 25n));
      const onward = { time: 90, moves: [move('bob', 'cash', 15n)] };
      const trail = await ask([arrival, ...cycles(1, () => ['contract']), ...swings, onward]);
      expect(told(trail)).toEqual(['alice>bob 100 1', 'bob>cash 15 0.15']);
    });

    test('counts on no part of the way backward', async () => {
      const swings = Array.from({ length: 12 }, (_, n) => back(30 + n, 100n));
      const onward = { time: 90, moves: [move('bob', 'cash', 100n)] };
      const question = { start: 'cash', backward: true };
      const trail = await ask([arrival, ...cycles(1, () => ['contract']), ...swings, onward], question);
      expect(told(trail)).toEqual(['cash>bob 100 1', 'bob>alice 100 1']);
    });
  });
});
