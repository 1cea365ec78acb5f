import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { releaseValues } from '../../services/platform/release-buffers.ts';
import { SINK_GROUP, startSink, TRANSFER_TOPICS } from '../../services/roles/sink/start-sink.ts';
import { emptyTables } from '../../services/testing/empty-tables.ts';
import { readLag } from '../../services/warehouse/sink/lag.ts';
import { BATCH_BYTES, type BenchStore, logger, say, secondsOf, withStore } from './bench-store.ts';
import { type EncodeThread, startEncodeThread } from './encode-thread.ts';
import { prepareEngineFanout } from './engine-fanout.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { wholeNumber } from './number-options.ts';
import { measureReplay } from './replay.ts';

const RUNS = 5;
// Enough that most batches are full, as in a longer replay.
const TRANSFERS = 2_000_000;
// Enough to outweigh start and stop.
const REPLAYED_MEGABYTES = 640;
/** Blocks for the log. */
const IN_FLIGHT = 64;

const EXAMPLE_BLOCKS = new URL('../../../shared/data/solana/blocks', import.meta.url).pathname;

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      transfers: { type: 'string', default: String(TRANSFERS) },
      blocks: { type: 'string' },
      megabytes: { type: 'string', default: String(REPLAYED_MEGABYTES) },
      runs: { type: 'string', default: String(RUNS) },
    },
  });
  const transfers = wholeNumber('transfers', values.transfers);
  const runs = wholeNumber('runs', values.runs);
  const megabytes = wholeNumber('megabytes', values.megabytes);
  // Before the blocks below, because no service holds all in memory.
  const replayed = await measureReplayOf(values.blocks, { runs, megabytes });
  const { rates, ofPlain, shares } = await measureTables(transfers, runs);
  const [first = Number.NaN, ...later] = shares;
  return [
    toFigure({ name: 'pipeline.transfers_per_s', unit: 'transfers/s', atLeast: 200_000 }, rates),
    toFigure(
      { name: 'pipeline.share_of_engine_fanout', unit: 'log to tables over INSERT SELECT', atLeast: 0.8 },
      later,
    ),
    toFigure({ name: 'pipeline.share_of_engine_fanout_at_first', unit: 'the same in a new engine process' }, [
      first,
    ]),
    toFigure(
      { name: 'pipeline.over_without_control', unit: 'of the rate without control events', atLeast: 0.9 },
      ofPlain,
    ),
    ...replayed,
  ];
};

/** From the named folder, else from the example blocks. */
const measureReplayOf = async (
  blocks: string | undefined,
  size: Parameters<typeof measureReplay>[1],
): Promise<Figure[]> => {
  if (blocks === undefined && !existsSync(EXAMPLE_BLOCKS)) {
    say('replay is not measured: --blocks DIR says of which block files');
    return [];
  }
  const ratio = await measureReplay(blocks ?? EXAMPLE_BLOCKS, size);
  const rssMb = process.resourceUsage().maxRSS / 1_024;
  const rss = { name: 'pipeline.rss_mb', unit: 'MB outside the engine, peak of the replay', atMost: 1_000 };
  return [ratio, toFigure(rss, [rssMb])];
};

const measureTables = async (transfers: number, runs: number) => {
  const blocks = await startEncodeThread(transfers);
  try {
    const rates: number[] = [];
    const ofPlain: number[] = [];
    for (let at = 0; at < runs; at += 1) {
      const plain = await withStore((bench) => endToEnd(bench, blocks, true));
      const seconds = await withStore((bench) => endToEnd(bench, blocks));
      rates.push(transfers / seconds);
      ofPlain.push(plain / seconds);
      say(
        `end to end: ${Math.round(transfers / seconds)} transfers/s, ${Math.round(transfers / plain)} without control events`,
      );
    }
    return { rates, ofPlain, shares: await withStore((bench) => sharesOfFanout(bench, blocks, runs)) };
  } finally {
    await blocks.close();
  }
};

/** Returns the number of these blocks' records. */
const appendAll = async ({ store }: BenchStore, blocks: EncodeThread, isPlain: boolean): Promise<number> => {
  const { log, blockSchemaId: schemaId } = store;
  let count = 0;
  const appendBlock = async (at: number): Promise<void> => {
    const records = await blocks.encode({ at, schemaId, isPlain });
    count += records.length;
    await log.append(records);
    // As a replay does.
    releaseValues(records);
  };
  const running = new Set<Promise<void>>();
  for (let at = 0; at < blocks.blocks; at += 1) {
    const append = appendBlock(at).finally(() => running.delete(append));
    running.add(append);
    if (running.size >= IN_FLIGHT) await Promise.race(running);
  }
  await Promise.all(running);
  return count;
};

/** It signals when this many records are stored: on brokers, each look at the progress would be six requests. */
export const sinkOf = ({ store, warehouse }: BenchStore) => {
  let stored = 0;
  let wake = (): void => {};
  const inserted = ({ records }: { readonly records: number }): void => {
    stored += records;
    wake();
  };
  const sink = startSink({ store, warehouse, logger, batchBytesMax: BATCH_BYTES, events: { inserted } });
  const untilStored = async (records: number): Promise<void> => {
    while (stored < records)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  return { ...sink, untilStored };
};

/** From a complete log into the tables, as in a rebuild. */
export const secondsToDrain = async (bench: BenchStore): Promise<number> => {
  const records = await readLag(bench.store.log, 'sink', TRANSFER_TOPICS);
  const sink = sinkOf(bench);
  sink.hurry();
  const seconds = await secondsOf(() => sink.untilStored(records));
  await sink.stop();
  return seconds;
};

const endToEnd = async (bench: BenchStore, blocks: EncodeThread, isPlain = false): Promise<number> => {
  const sink = sinkOf(bench);
  const seconds = await secondsOf(async () => {
    await sink.untilStored(await appendAll(bench, blocks, isPlain));
  });
  await sink.stop();
  return seconds;
};

/**
 * The same rows both ways in turn, into empty tables: through log and sink, and by the engine's own insert from
 * memory. Merges are stopped, because those of one way would run during the other. Returns the ratio of each turn;
 * in the first one the engine allocates the memory that it then keeps for both.
 */
const sharesOfFanout = async (
  bench: BenchStore,
  blocks: EncodeThread,
  runs: number,
): Promise<readonly number[]> => {
  const { log } = bench.store;
  const { writer, database } = bench.warehouse;
  // The engine's side has only movements.
  await appendAll(bench, blocks, true);
  const shares: number[] = [];
  for (let turn = 0; turn <= runs; turn += 1) {
    if (turn > 0) await log.forgetGroup(SINK_GROUP);
    await emptyTables(writer, { database });
    await writer.command({ query: 'SYSTEM STOP MERGES' });
    const throughSink = await secondsToDrain(bench);
    const fanout = await prepareEngineFanout(bench.warehouse);
    if (fanout.rows !== blocks.movements)
      throw new Error(`${fanout.rows} of ${blocks.movements} transfers are in the tables`);
    shares.push((await secondsOf(fanout.run)) / throughSink);
    await writer.command({ query: 'DROP DATABASE spoor_fanout SYNC' });
    say(`share of the engine's own fan-out: ${shares.at(-1)?.toFixed(2)}`);
  }
  return shares;
};

export const bench: Bench = { name: 'pipeline', run };
