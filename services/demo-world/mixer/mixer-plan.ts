import type { Random } from '../random.ts';
import figures from './tornado-figures.json' with { type: 'json' };

/** Quantile → value, from `tornado-figures.json`. */
export type Quantiles = Readonly<Record<string, number>>;

/** One pool's part of an owner's use of the mixer. Times are unix seconds; a deposit may be older than the world. */
export type PlannedUse = {
  readonly pool: number;
  readonly deposits: readonly { readonly deposit: number; readonly withdrawal: number }[];
};

/** One owner's use of the mixer, in one or several pools, in one sitting. */
export type PlannedSession = { readonly uses: readonly PlannedUse[] };

export const POOL_FIGURES = [
  figures.pools['0.1'],
  figures.pools['1'],
  figures.pools['10'],
  figures.pools['100'],
];
/** The share of relayed withdrawals is known for three pools; the fourth gets their mean. */
const RELAYED_SHARE_WHERE_UNKNOWN = 0.68;
const DAY = 86_400;

const tableOf = (quantiles: Quantiles): readonly (readonly [number, number])[] =>
  Object.entries(quantiles)
    .map(([step, value]) => [Number(step), value] as const)
    .sort(([a], [b]) => a - b);

const tables = new Map<Quantiles, readonly (readonly [number, number])[]>();

/** The value at a quantile, interpolated logarithmically, because measured values span six decades. */
export const atQuantile = (quantiles: Quantiles, at: number): number => {
  const table = tables.get(quantiles) ?? tableOf(quantiles);
  tables.set(quantiles, table);
  let [lowStep, low] = table[0] ?? [0, 0];
  for (const [step, value] of table) {
    if (step >= at) {
      const part = step === lowStep ? 0 : Math.min(Math.max((at - lowStep) / (step - lowStep), 0), 1);
      return Math.exp(Math.log(low + 1) + part * (Math.log(value + 1) - Math.log(low + 1))) - 1;
    }
    [lowStep, low] = [step, value];
  }
  return low;
};

export const sample = (random: Random, quantiles: Quantiles): number => atQuantile(quantiles, random.unit());

type BurstFigures = { readonly burst_single_share: number; readonly burst_deposits: Quantiles };

/** One deposit as often as measured, and the measured tail above it. */
const sampleBurst = (random: Random, measured: BurstFigures): number => {
  const { burst_single_share: single, burst_deposits } = measured;
  if (random.chance(single)) return 1;
  return Math.max(2, Math.round(atQuantile(burst_deposits, single + random.unit() * (1 - single))));
};

export const relayedShare = (pool: number): number =>
  POOL_FIGURES[pool]?.relayed_share ?? RELAYED_SHARE_WHERE_UNKNOWN;

export const sampleRelayerFee = (random: Random, pool: number): number => {
  const measured = POOL_FIGURES[pool];
  const known = measured?.relayed_share === null ? figures.pools['1'] : measured;
  return known === undefined ? 0.01 : Math.min(sample(random, known.relayer_fee_share), 0.5);
};

const sampleDelay = (random: Random): number => sample(random, figures.delays.delay_seconds);

const planUse = (random: Random, pool: number, from: number): PlannedUse => {
  const measured = POOL_FIGURES[pool] ?? figures.pools['1'];
  const count = sampleBurst(random, measured);
  const deposits: { deposit: number; withdrawal: number }[] = [];
  let deposit = from;
  let withdrawal = from + sampleDelay(random);
  // Half of the owners withdraw in one sitting, the others piece by piece.
  const oneSitting = random.chance(0.5);
  for (let at = 0; at < count; at++) {
    deposits.push({ deposit, withdrawal: Math.max(withdrawal, deposit + 120) });
    deposit += sample(random, measured.burst_gap_seconds);
    withdrawal = oneSitting
      ? withdrawal + sample(random, measured.burst_gap_seconds)
      : from + sampleDelay(random);
  }
  return { pool, deposits };
};

const otherPools = (random: Random, first: number): number[] => {
  const count = 1 + random.weighted(Object.values(figures.pools_per_depositor));
  const pools = [first];
  while (pools.length < count) {
    const pool = random.below(POOL_FIGURES.length);
    if (!pools.includes(pool)) pools.push(pool);
  }
  return pools;
};

/** The longest measured delay: older deposits have left the pool. */
const HISTORY_SECONDS = figures.delays.delay_seconds['0.99'];

/**
 * Every visible use of a fixed-denomination mixer: at the measured rate of deposits, with measured bursts and
 * delays, and with withdrawals of earlier depositors.
 */
export const planMixerSessions = (
  random: Random,
  options: { startUnixSeconds: number; days: number; scale: number },
): PlannedSession[] => {
  const { startUnixSeconds: start, days, scale } = options;
  const end = start + days * DAY;
  const sessions: PlannedSession[] = [];
  const meanPools = Object.entries(figures.pools_per_depositor).reduce(
    (sum, [count, share]) => sum + Number(count) * share,
    0,
  );
  for (const [pool, measured] of POOL_FIGURES.entries()) {
    // A fortnight of the mixer's middle years: near the median, varying by day.
    const level = 0.52 + 0.1 * random.unit();
    for (let day = start - HISTORY_SECONDS; day < end; day += DAY) {
      const quantile = Math.min(Math.max(level + 0.12 * random.normal(), 0.05), 0.95);
      const rate =
        (atQuantile(measured.deposits_per_day, quantile) * scale) / measured.burst_mean / meanPools;
      let from = day + random.exponential(DAY / rate);
      for (; from < day + DAY; from += random.exponential(DAY / rate)) {
        const uses = otherPools(random, pool).map((each) => planUse(random, each, from));
        const isSeen = uses.some(({ deposits }) =>
          deposits.some(
            ({ deposit, withdrawal }) =>
              deposit < end && withdrawal > start && (deposit >= start || withdrawal < end),
          ),
        );
        if (isSeen) sessions.push({ uses });
      }
    }
  }
  return sessions;
};
