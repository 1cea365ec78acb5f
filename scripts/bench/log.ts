import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedLog } from '../../services/platform/event-log/embedded/open-embedded-log.ts';
import type { AppendRecord, EventLog } from '../../services/platform/event-log/event-log.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';

const RUNS = 5;
const SMALL_BYTES = 100;
const LARGE_BYTES = 500_000;
const SMALL_RECORDS = 200_000;
const LARGE_RECORDS = 300;
const TOPICS = [
  { name: 'small', partitions: 8, retentionMs: -1 },
  { name: 'large', partitions: 8, retentionMs: -1 },
  { name: 'single', partitions: 1, retentionMs: -1 },
];

const small = (i: number): AppendRecord => ({
  topic: 'small',
  key: `solana:${i >> 6}`,
  value: Buffer.alloc(SMALL_BYTES, i),
});
const large = (i: number): AppendRecord => ({
  topic: 'large',
  key: `solana:${i}`,
  value: Buffer.alloc(LARGE_BYTES, i),
});
const single = (i: number): AppendRecord => ({ ...small(i), topic: 'single' });

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

/** Appends all calls, at most `concurrent` at once. */
const appendAll = async (
  log: EventLog,
  calls: readonly AppendRecord[][],
  concurrent: number,
): Promise<void> => {
  const rest = calls.values();
  const appendRest = async (): Promise<void> => {
    for (const records of rest) await log.append(records);
  };
  await Promise.all(Array.from({ length: concurrent }, appendRest));
};

const consumeAll = async (log: EventLog, topic: string, maxBytes: number): Promise<void> => {
  const consumer = await log.consume({ group: `bench-${topic}`, topics: [topic] });
  while ((await consumer.poll({ maxBytes, waitMs: 0 })) !== null) await new Promise(setImmediate);
  await consumer.close();
};

const range = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** One run on an empty log: the rate of each part. */
const measureOnce = async (log: EventLog): Promise<Record<string, number>> => {
  const batches = range(SMALL_RECORDS / 1_000, (b) => range(1_000, (i) => small(b * 1_000 + i)));
  const batchedSeconds = await secondsOf(() => appendAll(log, batches, 4));
  const smallSeconds = await secondsOf(() => consumeAll(log, 'small', 4_000_000));
  const singles = range(3_000, (i) => [single(i)]);
  const singleSeconds = await secondsOf(() => appendAll(log, singles, 1));
  const groupedSeconds = await secondsOf(() =>
    appendAll(
      log,
      range(30_000, (i) => [single(i)]),
      256,
    ),
  );
  const largeCalls = range(LARGE_RECORDS, (i) => [large(i)]);
  const largeSeconds = await secondsOf(() => appendAll(log, largeCalls, 16));
  const largeReadSeconds = await secondsOf(() => consumeAll(log, 'large', 4_000_000));
  const largeMb = (LARGE_RECORDS * LARGE_BYTES) / 1e6;
  return {
    batched_appends_per_s: SMALL_RECORDS / batchedSeconds,
    durable_appends_per_s: 3_000 / singleSeconds,
    concurrent_appends_per_s: 30_000 / groupedSeconds,
    large_append_mb_per_s: largeMb / largeSeconds,
    consume_per_s: SMALL_RECORDS / smallSeconds,
    large_consume_mb_per_s: largeMb / largeReadSeconds,
  };
};

const UNITS: Readonly<Record<string, string>> = {
  batched_appends_per_s: 'records of 100 B/s, 1,000 a call',
  durable_appends_per_s: 'appends of 100 B/s, one after the other',
  concurrent_appends_per_s: 'appends of 100 B/s, 256 at once',
  large_append_mb_per_s: 'MB/s, records of 500 kB',
  consume_per_s: 'records of 100 B/s',
  large_consume_mb_per_s: 'MB/s, records of 500 kB',
};

/** Measures the embedded event log; medians of runs on new files. */
export const benchLog = async (argv: readonly string[]): Promise<Figure[]> => {
  parseArgs({ args: [...argv], options: {} });
  const measured: Record<string, number>[] = [];
  for (let run = 0; run < RUNS; run++) {
    const folder = await mkdtemp(join(tmpdir(), 'spoor-bench-log-'));
    const log = await openEmbeddedLog({
      folder,
      topics: TOPICS,
      maxQueuedBytes: 32_000_000,
      maxRecordBytes: 1_000_000,
    });
    measured.push(await measureOnce(log));
    await log.close();
    await rm(folder, { recursive: true });
  }
  return Object.entries(UNITS).map(([name, unit]) =>
    toFigure(
      { name: `log.${name}`, unit },
      measured.map((run) => run[name] ?? Number.NaN),
    ),
  );
};

export const bench: Bench = { name: 'log', run: benchLog };
