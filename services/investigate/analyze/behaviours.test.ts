import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { DOLLAR, ETHER, profileOf, USDC } from '../../testing/profile-story.ts';
import { findChain } from '../model/chain.ts';
import type { Service } from '../model/trace-reader.ts';
import { findEmptied } from './behaviours/find-emptied.ts';
import { findWashLoop } from './behaviours/find-wash-loop.ts';
import type { Observed } from './behaviours/observed.ts';
import type { Transfer } from './profile.ts';

const DAY = 86_400;
const T = 1_700_000_000;
const usd = (from: string, to: string, dollars: number, time: number, by = from): StoryStep => ({
  ...{ time, by },
  moves: [move(from, to, BigInt(dollars) * DOLLAR, { asset: USDC })],
});
const many = (count: number, step: (at: number) => StoryStep): StoryStep[] =>
  Array.from({ length: count }, (_, index) => step(index));

const desk = new Map<string, Service>([
  ['hot', { entity: 'Desk', kind: 'exchange' }],
  ['hot-2', { entity: 'Desk', kind: 'exchange' }],
  ['pool', { entity: 'Mix', kind: 'mixer' }],
]);

/** The whole history of a wallet that these payments are, oldest first. */
const observe = (payments: readonly Transfer[]): Observed => {
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('ethereum is a chain');
  const rows = payments.length;
  const summary = { transactions: rows, counterparties: rows, rows, canonicalAssets: [] };
  return {
    ...{
      chain,
      wallet: 'pool',
      label: null,
      labels: new Map(),
      services: new Map(),
      isComplete: true,
      isReadSince: () => true,
      secondsReadBefore: () => Number.POSITIVE_INFINITY,
      seenIn: null,
    },
    summary: { ...summary, firstUnixSeconds: T, lastUnixSeconds: T + rows },
    ...{ entries: payments.toReversed(), payments, trades: [], lookalikes: [], siblings: [] },
    headUnixSeconds: T + rows,
  };
};

const namesOf = async (...asked: Parameters<typeof profileOf>): Promise<string[]> =>
  (await profileOf(...asked)).behaviours.map(({ name }) => name);

test('what comes in and leaves within the hour is passed through, and what stays is not', async () => {
  const quick = many(4, (at) => usd(`payer-${at}`, 'way', 100, T + at * DAY)).flatMap((step) => [
    step,
    usd('way', 'next', 99, step.time + 600),
  ]);
  const slow = many(4, (at) => usd(`payer-${at}`, 'way', 100, T + at * DAY)).flatMap((step) => [
    step,
    usd('way', 'next', 99, step.time + 5_000),
  ]);
  expect(await namesOf('way', quick)).toContain('pass_through');
  expect(await namesOf('way', slow)).not.toContain('pass_through');
});

test('a till has many payers and hardly any payee, a payroll the other way round', async () => {
  const till = [
    ...many(25, (at) => usd(`payer-${at}`, 'shop', 10, T + at)),
    usd('shop', 'box', 200, T + DAY),
  ];
  const payroll = [
    usd('boss', 'shop', 1_000, T),
    ...many(25, (at) => usd('shop', `payee-${at}`, 10, T + 1 + at)),
  ];
  expect(await namesOf('shop', till)).toContain('fan_in');
  expect(await namesOf('shop', payroll)).toContain('fan_out');
  expect(await namesOf('shop', till)).not.toContain('fan_out');
});

test('dust of many strangers makes nobody a till', async () => {
  const dust = many(25, (at) => ({
    time: T + at,
    moves: [move(`payer-${at}`, 'star', 1n, { asset: USDC })],
  }));
  expect(await namesOf('star', dust)).not.toContain('fan_in');
});

test('the same sum that goes and comes back is a wash loop from the third time on', async () => {
  const rounds = (count: number) =>
    many(count, (at) => usd('ann', 'bob', 100, T + at * 2 * DAY)).flatMap((step) => [
      step,
      usd('bob', 'ann', 98, step.time + 3_600),
    ]);
  expect(await namesOf('ann', rounds(3))).toContain('wash_loop');
  expect(await namesOf('ann', rounds(2))).not.toContain('wash_loop');
});

test('each return counts for one payment, the earliest of about its size that is left', async () => {
  const paid = [100, 104, 300, 200].map((dollars, index) => usd('ann', 'bob', dollars, T + index));
  const back = [205, 99, 298, 150, 99].map((dollars, index) => usd('bob', 'ann', dollars, T + 60 + index));
  const loop = (await profileOf('ann', [...paid, ...back])).behaviours.find(
    ({ name }) => name === 'wash_loop',
  );
  expect(loop?.detail).toContain('4 times');
  const late = back.map((step) => ({ ...step, time: step.time + 2 * DAY }));
  expect(await namesOf('ann', [...paid, ...late])).not.toContain('wash_loop');
  expect(
    await namesOf('ann', [...back, ...paid.map((step) => ({ ...step, time: step.time + DAY }))]),
  ).not.toContain('wash_loop');
});

test('a wash loop is looked for in little more than one pass, however many payments one party has', () => {
  const ROWS = 2_000;
  let looks = 0;
  const payments = Array.from({ length: ROWS }, (_, index) => ({
    ...{ direction: index < ROWS / 2 ? ('out' as const) : ('in' as const), kind: 'transfer' as const },
    ...{ counterparty: 'bob', isSender: true, isSwap: false, index: 0, canonicalAsset: USDC, usd: 100 },
    ...{ blockNumber: index, txIndex: 0, amountRaw: index < ROWS / 2 ? 100n * DOLLAR : DOLLAR },
    get blockTime() {
      looks += 1;
      return T + index;
    },
  }));
  expect(findWashLoop(observe(payments))).toBeNull();
  expect(looks).toBeLessThan(20 * ROWS);
});

test('a clock is a bot, and somebody who pays now and then is not', async () => {
  const regular = many(40, (at) => usd('bot', `payee-${at % 3}`, 1, T + at * 600));
  const irregular = many(40, (at) => usd('bot', `payee-${at % 3}`, 1, T + at ** 3));
  expect(await namesOf('bot', regular)).toContain('bot');
  expect(await namesOf('bot', irregular)).not.toContain('bot');
});

test('whoever slept for half a year and sends again is a sleeper, and dust that came meanwhile wakes nobody', async () => {
  const slept = [
    usd('ann', 'bob', 5, T),
    usd('bob', 'ann', 1, T + 100 * DAY),
    usd('ann', 'bob', 5, T + 181 * DAY),
  ];
  expect(await namesOf('ann', slept)).toContain('sleeper');
  expect(await namesOf('ann', slept.slice(0, 2))).not.toContain('sleeper');
});

test('a wallet is fresh in its first week, and only where its history is whole', async () => {
  const steps = [usd('ann', 'bob', 5, T), usd('bob', 'cat', 5, T + 6 * DAY)];
  const old = [...steps, usd('cat', 'dan', 5, T + 9 * DAY)];
  const fresh = async (...asked: Parameters<typeof profileOf>) =>
    (await profileOf(...asked)).behaviours.find(({ name }) => name === 'fresh')?.confidence;
  expect(await fresh('bob', steps)).toBe(0.95);
  expect(await fresh('bob', steps, { indexedSince: T })).toBeUndefined();
  expect(await fresh('bob', old)).toBeUndefined();
});

test('dust of a mixer makes nobody its user', async () => {
  const dust = { time: T, moves: [move('pool', 'star', ETHER / 100_000n)] };
  const note = { time: T, moves: [move('pool', 'star', ETHER)] };
  expect(await namesOf('star', [dust], { services: desk })).not.toContain('mixer_user');
  expect(await namesOf('star', [note], { services: desk })).toContain('mixer_user');
});

test('payers whose loss is split at one ratio are the victims of a drainer', async () => {
  const split = (at: number, part: bigint): StoryStep => ({
    time: T + at,
    by: `victim-${at}`,
    moves: [
      move(`victim-${at}`, 'vault', part * DOLLAR * BigInt(at + 1), { asset: USDC }),
      move(`victim-${at}`, 'affiliate', (100n - part) * DOLLAR * BigInt(at + 1), { asset: USDC }),
    ],
  });
  expect(
    await namesOf(
      'vault',
      many(5, (at) => split(at, 20n)),
    ),
  ).toContain('drainer');
  expect(
    await namesOf(
      'vault',
      many(5, (at) => split(at, BigInt(16 + 4 * at))),
    ),
  ).not.toContain('drainer');
  expect(
    await namesOf(
      'vault',
      many(3, (at) => split(at, 20n)),
    ),
  ).not.toContain('drainer');
});

test('a drainer that takes two assets in each transaction is still a drainer', async () => {
  const tether = '0xdac17f958d2ee523a2206206994597c13d831ec7';
  const splits = many(5, (at) => ({
    ...{ time: T + at, by: `victim-${at}` },
    moves: [USDC, tether].flatMap((asset) => [
      move(`victim-${at}`, 'vault', 20n * DOLLAR * BigInt(at + 1), { asset }),
      move(`victim-${at}`, 'affiliate', 80n * DOLLAR * BigInt(at + 1), { asset }),
    ]),
  }));
  expect(await namesOf('vault', splits)).toContain('drainer');
});

test('victims who pay through one contract are told apart, and dust of strangers hides none of them', async () => {
  const splits = many(5, (at) => ({
    ...{ time: T + at, by: `victim-${at}` },
    moves: [
      move(`victim-${at}`, 'kit', 100n * DOLLAR, { asset: USDC }),
      move('kit', 'vault', 20n * DOLLAR, { asset: USDC }),
      move('kit', 'affiliate', 80n * DOLLAR, { asset: USDC }),
    ],
  }));
  const dust = many(40, (at) => usd(`stranger-${at}`, 'vault', 1, T + DAY + at));
  expect(await namesOf('vault', [...splits, ...dust])).toContain('drainer');
});

test('who gets the larger part of the split is a partner, where an allowance was used, and a seller is not', async () => {
  const splits = (by: string | null): StoryStep[] =>
    many(5, (at) => ({
      ...{ time: T + at, by: by ?? `victim-${at}` },
      moves: [
        move(`victim-${at}`, 'vault', 20n * DOLLAR, { asset: USDC }),
        move(`victim-${at}`, 'partner', 80n * DOLLAR, { asset: USDC }),
      ],
    }));
  expect(await namesOf('partner', splits('operator'))).toContain('drainer_partner');
  expect(await namesOf('partner', splits(null))).not.toContain('drainer_partner');
  expect((await profileOf('partner', splits('operator'))).risk.level).toBe('high');
});

test('the rows of a busy pool are looked through once, however many of them somebody else caused', () => {
  const ROWS = 1_000;
  let looks = 0;
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    ...{ direction: index % 2 === 0 ? ('in' as const) : ('out' as const), kind: 'transfer' as const },
    ...{
      counterparty: `trader ${index}`,
      isSender: false,
      isSwap: false,
      index: 0,
      amountRaw: 100n * DOLLAR,
    },
    ...{ canonicalAsset: USDC, blockTime: T + index, txIndex: 0, usd: 100 },
    get blockNumber() {
      looks += 1;
      return index;
    },
  }));
  const found = findEmptied(observe(rows));
  expect(found?.name).toBe('emptied');
  expect(looks).toBeLessThan(5 * ROWS);
});

test('whose tokens somebody else took all at once was emptied, and who paid himself was not', async () => {
  const funded = usd('hot', 'ann', 500, T);
  expect(await namesOf('ann', [funded, usd('ann', 'thief', 490, T + 60, 'thief')])).toContain('emptied');
  expect(await namesOf('ann', [funded, usd('ann', 'thief', 490, T + 60)])).not.toContain('emptied');
  expect(await namesOf('ann', [funded, usd('ann', 'thief', 90, T + 60, 'thief')])).not.toContain('emptied');
});

test('nobody is said to be emptied whose history is known in part: it may have had more', async () => {
  const steps = [usd('hot', 'ann', 500, T), usd('ann', 'thief', 490, T + 60, 'thief')];
  expect(await namesOf('ann', steps, { indexedSince: T })).not.toContain('emptied');
});

test('each behaviour names transactions that show it', async () => {
  const till = [
    ...many(25, (at) => usd(`payer-${at}`, 'shop', 10, T + at)),
    usd('shop', 'box', 200, T + DAY),
  ];
  const { behaviours, signatures } = await profileOf('shop', till);
  expect(behaviours.length).toBeGreaterThan(1);
  for (const { examples } of behaviours) {
    expect(examples.length).toBeGreaterThan(0);
    for (const { blockNumber, txIndex } of examples)
      expect(signatures.has(`${blockNumber}/${txIndex}`)).toBe(true);
  }
});
