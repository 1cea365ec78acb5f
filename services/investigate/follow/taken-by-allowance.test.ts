import { expect, test } from 'vitest';
import { ask } from '../../testing/ask-follow.ts';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import type { Label } from '../model/label.ts';

const TOKEN = `0x${'4'.repeat(40)}`;
const LABELS: Record<string, Label> = { desk: { name: 'Desk', kind: 'exchange' } };

const allows = (at: number, by: string, more: object = {}): StoryStep => ({
  ...{ time: at, by },
  controls: [{ kind: 'approval', subject: TOKEN, holder: 'alice', party: 'kit', amountRaw: 9n, ...more }],
});
const takes = (at: number, authority: string | null = 'kit'): StoryStep => ({
  ...{ time: at, by: 'thief' },
  moves: [move('alice', 'thief', 9n, { asset: TOKEN, authority })],
});
const cashesIn: StoryStep = { time: 30, moves: [move('thief', 'desk', 9n, { asset: TOKEN })] };
const trailOf = async (steps: readonly StoryStep[], canonicalAsset: string | null = TOKEN) => {
  const { hops, end } = await ask([...steps, cashesIn], { chain: 'ethereum', canonicalAsset }, LABELS);
  return [...hops.map(({ to }) => to), end.reason];
};

test('what a spender took of an unlisted token by the owner’s allowance is followed, with and without naming the token', async () => {
  const story = [allows(10, 'alice'), takes(20)];
  expect(await trailOf(story)).toEqual(['thief', 'desk', 'exchange']);
  expect(await trailOf(story, null)).toEqual(['thief', 'desk', 'exchange']);
});

test('so is what was taken by a permit, which another submits, of a token that the owner used', async () => {
  const buys = { time: 5, by: 'alice', moves: [move('pool', 'alice', 9n, { asset: TOKEN })] };
  const permit = allows(10, 'thief', { kind: 'permit', byHolder: false });
  expect(await trailOf([buys, permit, takes(20)])).toEqual(['thief', 'desk', 'exchange']);
  // Any contract can log a permit of anybody.
  expect(await trailOf([permit, takes(20)])).toEqual(['no_data']);
});

test('an allowance to another spender, of another token, of nothing, or given later, moves nothing', async () => {
  expect(await trailOf([allows(10, 'alice'), takes(20, 'another')])).toEqual(['no_data']);
  expect(await trailOf([allows(10, 'alice'), takes(20, null)])).toEqual(['no_data']);
  const other = { subject: `0x${'5'.repeat(40)}` };
  expect(await trailOf([allows(10, 'alice', other), takes(20)])).toEqual(['no_data']);
  expect(await trailOf([allows(10, 'alice', { amountRaw: 0n }), takes(20)])).toEqual(['no_data']);
  expect(await trailOf([takes(20), allows(21, 'alice')])).toEqual(['no_data']);
});
