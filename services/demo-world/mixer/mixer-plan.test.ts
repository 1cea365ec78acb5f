import { expect, test } from 'vitest';
import { createRandom } from '../random.ts';
import { atQuantile, type PlannedUse, POOL_FIGURES, planMixerSessions } from './mixer-plan.ts';
import figures from './tornado-figures.json' with { type: 'json' };

const DAY = 86_400;
const START = 1_756_684_800;
const DAYS = 14;

const planned = [1, 2, 3].flatMap((seed) =>
  planMixerSessions(createRandom(seed), { startUnixSeconds: START, days: DAYS, scale: 1 }).map((session) => ({
    seed,
    uses: session.uses,
  })),
);

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const usesOf = (pool: number, seed: number): PlannedUse[] =>
  planned.filter((each) => each.seed === seed).flatMap(({ uses }) => uses.filter((use) => use.pool === pool));

test.each([0, 1, 2, 3])('crowds of pool %i have the size of the measured ones', (pool) => {
  const measured = POOL_FIGURES[pool]?.withdrawals_within_1_day_of_a_deposit ?? {};
  for (const seed of [1, 2, 3]) {
    const pairs = usesOf(pool, seed).flatMap(({ deposits }) => deposits);
    const exits = pairs.map(({ withdrawal }) => withdrawal);
    const inside = pairs.filter(({ deposit }) => deposit >= START && deposit < START + (DAYS - 1) * DAY);
    const crowds = inside.map(
      ({ deposit }) => exits.filter((exit) => exit > deposit && exit <= deposit + DAY).length,
    );
    expect(crowds.length).toBeGreaterThan(50);
    expect(median(crowds)).toBeGreaterThan(atQuantile(measured, 0.15));
    expect(median(crowds)).toBeLessThan(atQuantile(measured, 0.85));
  }
});

test('delays between an owner’s deposit and withdrawal follow the measured quantiles', () => {
  const delays = planned.flatMap(({ uses }) =>
    uses.flatMap(({ deposits }) => {
      const [first] = deposits;
      return first === undefined || first.deposit < START ? [] : [first.withdrawal - first.deposit];
    }),
  );
  const within = (seconds: number): number =>
    delays.filter((delay) => delay <= seconds).length / delays.length;
  expect(delays.length).toBeGreaterThan(500);
  expect(Math.abs(within(3_600) - figures.delays.within_1_hour)).toBeLessThan(0.04);
  expect(Math.abs(within(DAY) - figures.delays.within_1_day)).toBeLessThan(0.04);
  expect(Math.abs(within(7 * DAY) - figures.delays.within_7_days)).toBeLessThan(0.04);
});

test('deposits come in bursts and over several pools as often as was measured', () => {
  for (const [pool, measured] of POOL_FIGURES.entries()) {
    const counts = [1, 2, 3]
      .flatMap((seed) => usesOf(pool, seed))
      .filter(({ deposits }) => (deposits[0]?.deposit ?? 0) >= START)
      .map(({ deposits }) => deposits.length);
    const single = counts.filter((count) => count === 1).length / counts.length;
    expect(Math.abs(single - measured.burst_single_share)).toBeLessThan(0.06);
  }
  const inside = planned.filter(({ uses }) =>
    uses.every(({ deposits }) => (deposits[0]?.deposit ?? 0) >= START),
  );
  const several = inside.filter(({ uses }) => uses.length > 1).length / inside.length;
  expect(Math.abs(1 - several - figures.pools_per_depositor['1'])).toBeLessThan(0.05);
});
