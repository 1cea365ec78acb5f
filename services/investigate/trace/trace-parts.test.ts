import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { askTrace, forward, GAS, T } from '../../testing/trace-story.ts';
import { PARTS_MAX } from './rules.ts';

/** Deposits of sums that nobody repeats: the pool takes any amount. */
const sums = [31n, 47n, 59n, 73n, 97n].map(
  (tenths, index): StoryStep => ({
    time: T - 5_000 + index,
    moves: [move(`saver-${index}`, 'pool', tenths * 10n ** 17n)],
  }),
);
const WHOLE = 4_000_000_000_000_000_000n;
const PART = 1_500_000_000_000_000_000n;
const paidIn: StoryStep = { time: T, hash: 'in', moves: [move('ann', 'pool', WHOLE)] };
const paidOut: StoryStep = { time: T + 9_000, hash: 'out', moves: [move('pool', 'bea', PART)] };
const otherOut: StoryStep = { time: T + 9_500, moves: [move('pool', 'cy', PART / 2n)] };
const gas: StoryStep = { time: T + 50, hash: 'gas', moves: [move('ann', 'bea', GAS)] };
const story = [...sums, paidIn, paidOut, otherOut];

const whoPaidIn = {
  ...forward,
  wallet: 'bea',
  direction: 'in',
  signature: 'out',
  timeUnixSeconds: T + 9_000,
} as const;
const whoTookOut = { ...forward, signature: 'in' } as const;

test.each([
  ['a deposit of which a withdrawal is a part', 'ann', whoPaidIn],
  ['a withdrawal that is a part of a deposit', 'bea', whoTookOut],
])('%s is a lead where evidence ties the two wallets', async (_, wallet, request) => {
  const { candidates, anonymitySet } = await askTrace([...story, gas], request);
  expect(candidates.map((candidate) => [candidate.wallet, candidate.evidence[0]?.family])).toEqual([
    [wallet, 'gas_by_depositor'],
  ]);
  expect(candidates[0]?.confidence).toBeGreaterThan(0.5);
  // Its amount is no proof, and it is not counted among those whose amounts fit.
  expect(anonymitySet).toBe(0);
  expect(candidates[0]?.crowd).toBeGreaterThan(1);
});

test.each([whoPaidIn, whoTookOut])('without evidence what could be a part is no lead', async (request) => {
  const { candidates, candidatesTotal } = await askTrace(story, request);
  expect([candidates, candidatesTotal]).toEqual([[], 0]);
});

test('a service is nobody’s part, whatever it dealt with', async () => {
  const services = new Map([
    ['pool', { entity: 'mix', kind: 'mixer' }],
    ['ann', { entity: 'ex', kind: 'exchange' }],
  ]);
  const labels = new Map([['ann', { name: 'ex', kind: 'exchange' as const }]]);
  expect((await askTrace([...story, gas], whoPaidIn, { services, labels })).candidates).toEqual([]);
});

test('where more transfers could be parts than are read, the answer says that it is not complete', async () => {
  const tie: StoryStep = { time: T - 700, moves: [move('ann', 'owner', GAS)] };
  const newest: StoryStep = { time: T + 90_000, moves: [move('x', 'y', GAS)] };
  // Nearer in amount than the owner's.
  const strangers = (count: number) =>
    Array.from(
      { length: count },
      (_, index): StoryStep => ({
        time: T + 10 + index,
        moves: [move('pool', `s${index}`, (WHOLE * 9n) / 10n)],
      }),
    );
  const own: StoryStep = { time: T + 9_000, moves: [move('pool', 'owner', PART)] };
  const askAmong = (count: number) =>
    askTrace([...sums, tie, paidIn, own, newest, ...strangers(count)], whoTookOut);
  const few = await askAmong(PARTS_MAX - 2);
  expect(few).toMatchObject({ candidates: [{ wallet: 'owner' }], scope: 'full', window: { complete: true } });
  const many = await askAmong(PARTS_MAX);
  expect(many).toMatchObject({
    ...{ candidates: [], scope: 'partial', window: { complete: false } },
    detail: expect.stringContaining('More transfers match than are read'),
  });
});
