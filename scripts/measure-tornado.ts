import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * Measures how people really used a fixed-denomination mixer, so that the generated world's crowds and delays
 * follow it. Reads the folder of Tornado Cash events (`transfers.csv.gz`, `pairs.csv.gz`) and writes figures only,
 * no row of the data.
 * Usage: node scripts/measure-tornado.ts FOLDER [OUTPUT]
 */
const SECONDS_PER_BLOCK = 13.3;
const DAY_BLOCKS = 86_400 / SECONDS_PER_BLOCK;
const STEPS = [0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];
const OUTPUT = 'services/demo-world/mixer/tornado-figures.json';
/** The four pools of the chain's own coin, by address. */
const POOLS: Readonly<Record<string, string>> = {
  '0x12d66f87a04a9e220743712ce6d9bb1b5616b8fc': '0.1',
  '0x47ce0c6ed5b0ce3d3a51fdb1c52dc66a7c3c2936': '1',
  '0x910cbd523d972eb0a6f4cae4618ad62622b39dbf': '10',
  '0xa160cdab225685da1d56aa342ad8841c3b53f291': '100',
};

type Row = Readonly<Record<string, string>>;
type PoolEvents = { deposits: Row[]; withdrawals: Row[] };

const readCsv = (bytes: Buffer): Row[] => {
  const [head = '', ...lines] = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
  const columns = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']));
  });
};

const round = (value: number): number => Number(value.toPrecision(4));

const quantiles = (values: readonly number[]): Record<string, number> => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (step: number): number => sorted[Math.floor(step * (sorted.length - 1))] ?? 0;
  return Object.fromEntries(STEPS.map((step) => [String(step), round(at(step))]));
};

const share = (rows: readonly Row[], holds: (row: Row) => boolean): number =>
  rows.length === 0 ? 0 : round(rows.filter(holds).length / rows.length);

const byPool = (rows: readonly Row[]): Map<string, PoolEvents> => {
  const pools = new Map<string, PoolEvents>();
  for (const row of rows) {
    const pool = POOLS[row.pool ?? ''];
    if (pool === undefined) continue;
    const events = pools.get(pool) ?? { deposits: [], withdrawals: [] };
    events[row.direction === 'deposit' ? 'deposits' : 'withdrawals'].push(row);
    pools.set(pool, events);
  }
  return pools;
};

const blocksOf = (rows: readonly Row[]): number[] =>
  rows.map((row) => Number(row.block_number)).sort((a, b) => a - b);

/** How many withdrawals followed each deposit within a window: the crowd that it hides in. */
const crowds = ({ deposits, withdrawals }: PoolEvents, days: number): number[] => {
  const exits = blocksOf(withdrawals);
  let low = 0;
  let high = 0;
  return blocksOf(deposits).map((block) => {
    while (low < exits.length && (exits[low] ?? 0) <= block) low++;
    while (high < exits.length && (exits[high] ?? 0) <= block + days * DAY_BLOCKS) high++;
    return high - low;
  });
};

const depositsPerDay = (deposits: readonly Row[]): { all: number[]; perYear: Record<string, number> } => {
  const blocks = blocksOf(deposits);
  const first = blocks[0] ?? 0;
  const days = new Array<number>(Math.ceil(((blocks.at(-1) ?? 0) - first + 1) / DAY_BLOCKS)).fill(0);
  for (const block of blocks) {
    const day = Math.floor((block - first) / DAY_BLOCKS);
    days[day] = (days[day] ?? 0) + 1;
  }
  const perYear: Record<string, number> = {};
  for (let from = 0; from < days.length; from += 365) {
    const year = days.slice(from, from + 365);
    perYear[`year_${from / 365 + 1}`] = round(year.reduce((sum, count) => sum + count, 0) / year.length);
  }
  return { all: days, perYear };
};

/** Deposits by one known depositor into one pool, with less than a day between one and the next. */
const bursts = (deposits: readonly Row[]): number[] => {
  const last = new Map<string, { block: number; count: number }>();
  const done: number[] = [];
  for (const row of deposits) {
    const from = row.from ?? '';
    if (from === '') continue;
    const block = Number(row.block_number);
    const burst = last.get(from);
    if (burst !== undefined && block - burst.block <= DAY_BLOCKS) {
      last.set(from, { block, count: burst.count + 1 });
    } else {
      if (burst !== undefined) done.push(burst.count);
      last.set(from, { block, count: 1 });
    }
  }
  return [...done, ...[...last.values()].map(({ count }) => count)];
};

const burstGaps = (deposits: readonly Row[]): number[] => {
  const last = new Map<string, number>();
  const gaps: number[] = [];
  for (const row of deposits) {
    const from = row.from ?? '';
    if (from === '') continue;
    const block = Number(row.block_number);
    const before = last.get(from);
    if (before !== undefined && block - before <= DAY_BLOCKS) gaps.push((block - before) * SECONDS_PER_BLOCK);
    last.set(from, block);
  }
  return gaps;
};

const measurePool = (events: PoolEvents) => {
  const perDay = depositsPerDay(events.deposits);
  const relayed = events.withdrawals.filter((row) => row.relayer !== '');
  const burst = bursts(events.deposits);
  return {
    deposits: events.deposits.length,
    withdrawals: events.withdrawals.length,
    deposits_per_day: quantiles(perDay.all),
    deposits_per_day_mean: perDay.perYear,
    withdrawals_within_1_day_of_a_deposit: quantiles(crowds(events, 1)),
    withdrawals_within_7_days_of_a_deposit: quantiles(crowds(events, 7)),
    // Some pools' events came without relayers: null says so, 0 would be a lie.
    relayed_share: relayed.length === 0 ? null : share(events.withdrawals, (row) => row.relayer !== ''),
    relayer_fee_share: quantiles(relayed.map((row) => Number(row.fee) / Number(row.amount))),
    burst_deposits: quantiles(burst),
    burst_single_share: round(burst.filter((count) => count === 1).length / burst.length),
    burst_mean: round(burst.reduce((sum, count) => sum + count, 0) / burst.length),
    burst_gap_seconds: quantiles(burstGaps(events.deposits)),
  };
};

const measureDelays = (pairs: readonly Row[]) => {
  const delays = pairs.map(
    (row) => (Number(row.withdrawal_block) - Number(row.deposit_block)) * SECONDS_PER_BLOCK,
  );
  const within = (seconds: number): number =>
    round(delays.filter((delay) => delay <= seconds).length / delays.length);
  return {
    pairs: delays.length,
    delay_seconds: quantiles(delays),
    within_1_hour: within(3_600),
    within_1_day: within(86_400),
    within_7_days: within(604_800),
    withdrawals_per_deposit_of_an_owner: quantiles(
      pairs.map((row) => Number(row.withdrawals_of_address) / Number(row.deposits_of_address)),
    ),
  };
};

/** How many of the four pools one known depositor used. */
const poolsPerDepositor = (rows: readonly Row[]): Record<string, number> => {
  const used = new Map<string, Set<string>>();
  for (const row of rows) {
    const from = row.from ?? '';
    if (row.direction !== 'deposit' || from === '') continue;
    used.set(from, (used.get(from) ?? new Set()).add(row.pool ?? ''));
  }
  const counts = [0, 0, 0, 0];
  for (const pools of used.values()) counts[pools.size - 1] = (counts[pools.size - 1] ?? 0) + 1;
  return Object.fromEntries(counts.map((count, at) => [String(at + 1), round(count / used.size)]));
};

const main = (folder: string, output: string): void => {
  const files = ['transfers.csv.gz', 'pairs.csv.gz'].map((name) => ({
    name,
    bytes: readFileSync(resolve(folder, name)),
  }));
  const [events, pairs] = files.map(({ bytes }) => readCsv(bytes));
  if (events === undefined || pairs === undefined) throw new Error('events or pairs are missing');
  const figures = {
    provenance: {
      what: 'Tornado Cash ETH pools on ethereum, December 2019 to June 2022; figures only, no row of the data',
      made_by: 'node scripts/measure-tornado.ts FOLDER',
      inputs: files.map(({ name, bytes }) => ({
        name,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })),
      seconds_per_block: SECONDS_PER_BLOCK,
      caveats: [
        'delays: first deposit to first withdrawal of owners who used one address on both sides',
        'bursts: only deposits whose depositor called the pool itself or is named by a pair',
      ],
    },
    pools: Object.fromEntries([...byPool(events)].sort().map(([pool, rows]) => [pool, measurePool(rows)])),
    delays: measureDelays(pairs),
    pools_per_depositor: poolsPerDepositor(events),
  };
  writeFileSync(output, `${JSON.stringify(figures, null, 2)}\n`);
};

const [folder, output = OUTPUT] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node scripts/measure-tornado.ts FOLDER [OUTPUT]\n');
  process.exitCode = 2;
} else {
  main(folder, output);
}
