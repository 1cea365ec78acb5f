import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { ETHER } from '../../testing/profile-story.ts';
import { askVictims as ask, pays, T, taken, told, usdc } from '../../testing/victims-story.ts';

const since = { indexedSince: T, controlsKeptSince: T };
const allows = (at: number): StoryStep => ({
  ...{ time: T + at, by: 'ann', moves: [usdc('ann', 'ann', 1n)] },
  controls: [
    {
      kind: 'approval',
      subject: usdc('a', 'b', 1n).asset ?? '',
      holder: 'ann',
      party: 'operator',
      amountRaw: 2n ** 255n,
    },
  ],
});

test('who counts as the address’s own by the first coin, or as deceived, says in what blocks that was seen', async () => {
  const funded: StoryStep = { time: T + 1, moves: [move('thief', 'mule', ETHER)] };
  const own = [funded, pays(2, 'mule', 'thief', 500n), pays(3, 'ann', 'thief', 500n)];
  expect((await ask(own)).gaps).toEqual([]);
  expect((await ask(own, since)).gaps).toEqual([
    expect.stringMatching(/^1 payer counted as the address's own .*not all blocks before 2023-11-14/),
  ]);
  const deceived = { imitated: { ann: 'friend' } };
  const poisoned = await ask([pays(1, 'ann', 'thief', 500n)], { ...since, ...deceived });
  expect(told(poisoned)).toEqual([['ann', 'poisoned 500']]);
  expect([poisoned.gaps.length, poisoned.scope]).toEqual([1, 'partial']);
  expect((await ask([pays(1, 'ann', 'thief', 500n)], deceived)).gaps).toEqual([]);
  // A plain payment rests on nothing that came first.
  expect((await ask([pays(1, 'ann', 'thief', 500n)], since)).gaps).toEqual([]);
});

test('a grant from before a gap may have ended in it, and the answer says so', async () => {
  const story = (at: number) => [allows(at), taken(5, 'ann', 'thief', 50n)];
  const kept = await ask(story(1), since);
  expect([kept.revocable.length, kept.gaps]).toEqual([1, []]);
  const before = await ask(story(-9), { ...since, fromUnixSeconds: T });
  expect(before.gaps).toContain('1 open grant may have ended since, in blocks that are not indexed.');
});
