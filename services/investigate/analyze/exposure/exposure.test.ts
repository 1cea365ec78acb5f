import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { DOLLAR, ETHER, profileOf, USDC } from '../../../testing/profile-story.ts';
import type { Label } from '../../model/label.ts';
import { type ExposureSide, exposureTo } from './exposure.ts';

const T = 1_700_000_000;
const pay = (from: string, to: string, dollars: number, time: number): StoryStep => ({
  time,
  moves: [move(from, to, BigInt(Math.round(dollars * 1e6)), { asset: USDC })],
});

const LABELS: Record<string, Label> = {
  mix: { name: 'Mix', kind: 'mixer' },
  desk: { name: 'Desk', kind: 'exchange' },
  crook: { name: 'Crook', kind: 'hack' },
};

const sideOf = async (
  wallet: string,
  direction: 'in' | 'out',
  steps: readonly StoryStep[],
  labels = LABELS,
): Promise<ExposureSide> => {
  const { risk } = await profileOf(wallet, steps, { labels });
  const side = risk.exposure[direction];
  if (side === null) throw new Error('nothing moved');
  return side;
};

const sharesOf = (side: ExposureSide) => ({
  mixer: Number(exposureTo(side, 'mixer').share.toFixed(6)),
  exchange: Number(exposureTo(side, 'exchange').share.toFixed(6)),
  hops: exposureTo(side, 'mixer').minHops,
});

test('a labelled counterparty is direct exposure, one hop away', async () => {
  const side = await sideOf('ann', 'in', [pay('mix', 'ann', 25, T), pay('desk', 'ann', 75, T + 1)]);
  expect(sharesOf(side)).toEqual({ mixer: 0.25, exchange: 0.75, hops: 1 });
});

test('money through unlabelled wallets is pro rata of what each held when it paid', async () => {
  const steps = [
    pay('mix', 'mule', 30, T),
    pay('desk', 'mule', 70, T + 1),
    pay('mule', 'stranger', 50, T + 2),
    pay('desk', 'mule', 50, T + 3),
    pay('mule', 'ann', 80, T + 4),
  ];
  expect(sharesOf(await sideOf('ann', 'in', steps))).toEqual({ mixer: 0.15, exchange: 0.85, hops: 2 });
});

test('what a wallet got after it paid explains no payment', async () => {
  const side = await sideOf('ann', 'in', [pay('mule', 'ann', 10, T + 1), pay('mix', 'mule', 10, T + 2)]);
  expect(sharesOf(side)).toMatchObject({ mixer: 0, hops: null });
  expect(side.unattributedUsd).toBe(10);
});

test('what a wallet held before its first row is nobody’s', async () => {
  const side = await sideOf('ann', 'in', [pay('mix', 'mule', 10, T), pay('mule', 'ann', 100, T + 1)]);
  expect(sharesOf(side).mixer).toBe(0.1);
  expect(side.unattributedUsd).toBe(90);
});

test('a party is found four hops away, and not five', async () => {
  const chainOf = (length: number) => [
    pay('mix', 'w1', 100, T),
    ...Array.from({ length: length - 1 }, (_, index) =>
      pay(`w${index + 1}`, `w${index + 2}`, 100, T + index + 1),
    ),
  ];
  const [near, far] = await Promise.all([4, 5].map((length) => sideOf(`w${length}`, 'in', chainOf(length))));
  expect(near && sharesOf(near)).toMatchObject({ mixer: 1, hops: 4 });
  expect(far && sharesOf(far)).toMatchObject({ mixer: 0, hops: null });
  expect(far?.read.leftOutUsd).toBe(100);
});

test('forward, money is shared among what a wallet paid later, and what it kept is unattributed', async () => {
  const steps = [
    pay('desk', 'mule', 100, T),
    pay('ann', 'mule', 100, T + 1),
    pay('mule', 'mix', 100, T + 2),
    pay('mule', 'desk', 50, T + 3),
  ];
  const side = await sideOf('ann', 'out', steps);
  expect(sharesOf(side)).toEqual({ mixer: 0.5, exchange: 0.25, hops: 2 });
  expect(side.unattributedUsd).toBeCloseTo(25);
});

test('the way does not go through a service: whom its other customers are says nothing', async () => {
  const side = await sideOf('ann', 'in', [pay('mix', 'desk', 100, T), pay('desk', 'ann', 100, T + 1)]);
  expect(sharesOf(side)).toEqual({ mixer: 0, exchange: 1, hops: null });
});

test('a wallet with more counterparties than can be told apart ends the way', async () => {
  const crowd = Array.from({ length: 101 }, (_, index) => pay(`payer-${index}`, 'till', 1, T + index));
  const side = await sideOf('ann', 'in', [
    ...crowd,
    pay('mix', 'till', 50, T + 200),
    pay('till', 'ann', 100, T + 201),
  ]);
  expect(sharesOf(side).mixer).toBe(0);
  expect(side.read.stopped).toBe(1);
});

test('a swap on the way changes the asset and not whose money it is', async () => {
  const swap = {
    gaveAsset: USDC,
    gaveRaw: 100n * DOLLAR,
    gotAsset: 'native',
    gotRaw: ETHER / 20n,
    through: 'pool',
  };
  const steps: StoryStep[] = [
    pay('mix', 'mule', 100, T),
    {
      ...{ time: T + 1, by: 'mule', swaps: [{ owner: 'mule', ...swap }] },
      moves: [move('mule', 'pool', 100n * DOLLAR, { asset: USDC }), move('pool', 'mule', ETHER / 20n)],
    },
    { time: T + 2, moves: [move('mule', 'ann', ETHER / 20n)] },
  ];
  expect(sharesOf(await sideOf('ann', 'in', steps))).toMatchObject({ mixer: 1, hops: 2 });
});

test('the path tells every step in the order in which the money moved', async () => {
  const steps = [pay('mix', 'w1', 100, T), pay('w1', 'w2', 90, T + 1), pay('w2', 'ann', 80, T + 2)];
  const { parties } = await sideOf('ann', 'in', steps);
  expect(parties[0]?.path?.map(({ from, to, amountRaw }) => [from, to, amountRaw])).toEqual([
    ['mix', 'w1', 100n * DOLLAR],
    ['w1', 'w2', 90n * DOLLAR],
    ['w2', 'ann', 80n * DOLLAR],
  ]);
});

const wallets = ['ann', 'bob', 'cat', 'dan', 'eve', 'mix', 'desk', 'crook'];
const story = fc.array(
  fc.record({
    from: fc.constantFrom(...wallets),
    to: fc.constantFrom(...wallets),
    dollars: fc.integer({ min: 1, max: 1_000 }),
    isCoin: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
);

test('shares of all parties and of what is unattributed add up to 1, whatever moved', async () => {
  let traced = 0;
  await fc.assert(
    fc.asyncProperty(story, fc.constantFrom('ann', 'bob', 'cat'), async (moves, wallet) => {
      const steps = moves
        .filter(({ from, to }) => from !== to)
        .map(({ from, to, dollars, isCoin }, index): StoryStep => {
          const coin = { time: T + index, moves: [move(from, to, (ETHER * BigInt(dollars)) / 2_000n)] };
          return isCoin ? coin : pay(from, to, dollars, T + index);
        });
      const { risk } = await profileOf(wallet, steps, { labels: LABELS });
      for (const side of [risk.exposure.in, risk.exposure.out]) {
        if (side === null) continue;
        const booked = side.parties.map(({ directUsd, indirectUsd }) => directUsd + indirectUsd);
        for (const usd of [...booked, side.unattributedUsd]) expect(usd).toBeGreaterThanOrEqual(-1e-9);
        const sum = booked.reduce((total, usd) => total + usd, side.unattributedUsd);
        expect(sum / side.totalUsd).toBeCloseTo(1, 9);
        traced += side.read.wallets;
      }
    }),
    { numRuns: 150, seed: 2_026 },
  );
  expect(traced).toBeGreaterThan(100);
});
