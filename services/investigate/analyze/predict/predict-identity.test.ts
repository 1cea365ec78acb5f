import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { DOLLAR, ETHER, profileOf, USDC } from '../../../testing/profile-story.ts';
import type { Label } from '../../model/label.ts';
import type { Service } from '../../model/trace-reader.ts';

const DAY = 86_400;
const T = 1_700_000_000;
const usd = (from: string, to: string, dollars: number, time: number, by = from): StoryStep => ({
  ...{ time, by },
  moves: [move(from, to, BigInt(dollars) * DOLLAR, { asset: USDC })],
});
const many = (count: number, step: (at: number) => StoryStep): StoryStep[] =>
  Array.from({ length: count }, (_, index) => step(index));

const DESK: Record<string, Label> = { hot: { name: 'Desk 1', kind: 'exchange' } };
const desk = new Map<string, Service>([
  ['hot', { entity: 'Desk', kind: 'exchange' }],
  ['hot-2', { entity: 'Desk', kind: 'exchange' }],
  ['pool', { entity: 'Mix', kind: 'mixer' }],
]);

const predictedOf = async (...asked: Parameters<typeof profileOf>) =>
  (await profileOf(...asked)).identity.predicted?.type ?? null;

test('an address that an exchange fills and that pays strangers seems to be the exchange', async () => {
  const filled = many(3, (at) => usd('hot', 'desk', 100_000, T + at * DAY));
  const paying = many(20, (at) => usd('desk', `customer-${at}`, 1_000, T + 10 + at));
  expect(await predictedOf('desk', [...filled, ...paying], { services: desk })).toBe('exchange');
});

test('a shop that pays out to an exchange does not seem to be one', async () => {
  const paid = many(80, (at) => usd(`payer-${at}`, 'shop', 500, T + at));
  const out = many(5, (at) => usd('shop', 'hot', 5_000, T + DAY * (at + 1)));
  expect(await predictedOf('shop', [...paid, ...out], { services: desk })).toBeNull();
});

test('large sums from two wallets of an exchange that never move on seem to be its cold wallet, and a saver does not', async () => {
  const cold = many(6, (at) => usd(at % 2 ? 'hot' : 'hot-2', 'cold', 400_000, T + at * DAY));
  const saver = many(6, (at) => usd('hot', 'cold', 4_000, T + at * DAY));
  expect(await predictedOf('cold', cold, { services: desk })).toBe('exchange');
  expect(await predictedOf('cold', saver, { services: desk })).toBeNull();
});

test('what pays out and never signs seems to be a contract', async () => {
  const steps = many(5, (at) => ({
    ...{ time: T + at, by: `user-${at}` },
    moves: [move(`user-${at}`, 'code', ETHER), move('code', `other-${at}`, ETHER)],
  }));
  expect(await predictedOf('code', steps)).toBe('contract');
});

test('what never signs and gives payers another asset back seems to be a market', async () => {
  const steps = many(5, (at) => ({
    ...{ time: T + at, by: `user-${at}` },
    moves: [move(`user-${at}`, 'code', ETHER), move('code', `user-${at}`, 2_000n * DOLLAR, { asset: USDC })],
  }));
  expect(await predictedOf('code', steps)).toBe('dex');
});

test('a prediction never replaces a label', async () => {
  const filled = many(3, (at) => usd('hot', 'desk', 100_000, T + at * DAY));
  const paying = many(20, (at) => usd('desk', `customer-${at}`, 1_000, T + 10 + at));
  const labels = { ...DESK, desk: { name: 'Somebody', kind: 'other' } as const };
  const { identity } = await profileOf('desk', [...filled, ...paying], { services: desk, labels });
  expect(identity).toMatchObject({ type: 'wallet', name: 'Somebody', predicted: null });
});

test('a pool behind a router seems to be a market', async () => {
  const steps = many(4, (at) => ({
    ...{ time: T + at, by: `user-${at}` },
    moves: [
      move(`user-${at}`, 'router', ETHER),
      move('router', 'code', ETHER),
      move('code', `user-${at}`, 2_000n * DOLLAR, { asset: USDC }),
    ],
  }));
  expect(await predictedOf('code', steps)).toBe('dex');
});

const deposits = Array.from({ length: 8 }, (_, index) => `deposit-${index}`);
const swept = {
  services: new Map<string, Service>([
    ...desk,
    ...deposits.map((each) => [each, { entity: 'Desk', kind: 'exchange' }] as const),
  ]),
  labels: Object.fromEntries(
    deposits.map((each) => [each, { name: 'Desk deposit', kind: 'exchange' } as const]),
  ),
};

test('who gives gas to many deposit addresses of an exchange seems to belong to it, and a customer does not', async () => {
  const gas = deposits.map((to, index) => ({ time: T + index, moves: [move('gas', to, ETHER / 1_000n)] }));
  expect(await predictedOf('gas', gas, swept)).toBe('exchange');
  expect(await predictedOf('gas', gas.slice(0, 4), swept)).toBeNull();
  const paid = deposits.map((to, index) => usd('gas', to, 100, T + index));
  expect(await predictedOf('gas', paid, swept)).toBeNull();
});

test('who pays the fees of many sweeps seems to belong to the exchange', async () => {
  const sweeps = deposits.map((from, index) => usd(from, 'hot', 100, T + index, 'gas'));
  const feeOf = (step: StoryStep): StoryStep => ({
    ...step,
    moves: [...(step.moves ?? []), move('gas', null, 5_000n, { kind: 'fee' })],
  });
  expect(await predictedOf('gas', sweeps.map(feeOf), swept)).toBe('exchange');
  expect(await predictedOf('gas', sweeps.slice(0, 4).map(feeOf), swept)).toBeNull();
});

const withdrawal = (at: number, by: string, to: string): StoryStep => ({
  ...{ time: T + at, by },
  moves: [move('pool', to, ETHER), move('pool', 'fees', ETHER / 100n)],
});

test('a relayer and the till of a mixer seem to be the mixer, and who withdraws does not', async () => {
  const relayed = many(6, (at) => ({
    ...{ time: T + at, by: 'relayer' },
    moves: [move('pool', `user-${at}`, ETHER), move('pool', 'relayer', ETHER / 100n)],
  }));
  expect(await predictedOf('relayer', relayed, { services: desk })).toBe('mixer');
  const own = many(6, (at) => withdrawal(at, `user-${at}`, `user-${at}`));
  expect(await predictedOf('fees', own, { services: desk })).toBe('mixer');
  const one = many(6, (at) => withdrawal(at, 'ann', 'ann'));
  expect(await predictedOf('ann', one, { services: desk })).toBeNull();
  expect(await predictedOf('fees', one, { services: desk })).toBeNull();
});

test('a gas wallet that withdraws to wallets of its own without a fee does not seem to be the mixer', async () => {
  const gas = move('gas', null, 5_000n, { kind: 'fee' });
  const own = many(6, (at) => ({
    ...{ time: T + at, by: 'gas' },
    moves: [move('pool', `fresh-${at}`, ETHER), gas],
  }));
  expect(await predictedOf('gas', own, { services: desk })).toBeNull();
});
