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
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { PAGE_SIZES } from '../rules.ts';

const crumbs = (time: number, count: number, amountRaw = 1n): StoryStep => ({
  ...{ time, by: 'spammer' },
  moves: Array.from({ length: count }, (_, n) => move(`s${n}`, 'bob', amountRaw)),
});
/** What a stranger brought is passed on before the followed money is. */
const story = (broughtAt: number, more: readonly StoryStep[] = []): StoryStep[] =>
  [
    { time: 100, moves: [move('alice', 'bob', 100_000n)] },
    { time: broughtAt, moves: [move('stranger', 'bob', 1_000_000n)] },
    { time: 200, moves: [move('bob', 'theirs', 980_000n)] },
    ...more,
    { time: 900, moves: [move('bob', 'x', 60_000n)] },
    { time: 910, moves: [move('bob', 'y', 40_000n)] },
  ].sort((a, b) => a.time - b.time);

describe('crumbs sent to a wallet', () => {
  test.each([
    ['after what a stranger brought', 120],
    ['before the money came', 20],
  ])('hide nobody else’s money %s', async (_, broughtAt) => {
    expect(path(await ask(story(broughtAt)))).toEqual(['alice>bob', 'bob>x']);
    const filled = story(broughtAt, [crumbs(30, 1_500), crumbs(130, 1_500), crumbs(300, 1_500)]);
    const trail = await ask(filled);
    expect(path(trail)).toEqual(['alice>bob', 'bob>x']);
    expect(trail.end.detail).not.toContain('uncertain');
  });

  test('of which there are more than are read leave it in doubt whose money left, and the answer says so', async () => {
    const reader = readStory(story(120, [crumbs(300, 500)]));
    const pages = { firstRows: 10, nextRows: 100, maxRows: 400 };
    const limits = { budgetMs: 90_000, pages };
    const trail = await follow(toFollowRequest({}), followWith(reader), limits);
    expect(trail.end.detail).toContain('It is uncertain whose money left bob');
    expect(trail.end.detail).toContain('only the last 400 of the many payments');
    const whole = await follow(toFollowRequest({}), followWith(reader), { ...limits, pages: PAGE_SIZES });
    expect(path(whole)).toEqual(['alice>bob', 'bob>x']);
    expect(whole.end.detail).not.toContain('uncertain');
  });

  test('cost a question more only where they fill most of a page', async () => {
    const questionsOf = async (amountRaw: bigint) => {
      const { asked, counting } = countQuestions(readStory(story(120, [crumbs(300, 1_500, amountRaw)])));
      await follow(toFollowRequest({}), followWith(counting));
      return asked.filter(({ name }) => name === 'arrivals without swaps').length;
    };
    expect(await questionsOf(10n)).toBe(1);
    expect(await questionsOf(1n)).toBe(2);
  });
});

test('more receipts since the money came than are read leave it in doubt as well, and the answer says so', async () => {
  const busy = (count: number): StoryStep => ({
    ...{ time: 700, by: 'customers' },
    moves: Array.from({ length: count }, (_, n) => move(`c${n}`, 'bob', 5_000n)),
  });
  const doubt = 'only the last 1000 of the many payments that reached it were read.';
  expect((await ask(story(120, [busy(900)]))).end.detail).not.toContain('uncertain');
  expect((await ask(story(120, [busy(1_100)]))).end.detail).toContain(doubt);
  // What had come long before explains little of what left.
  const before = busy(1_100);
  expect((await ask(story(120, [{ ...before, time: 50 }]))).end.detail).not.toContain('uncertain');
});
