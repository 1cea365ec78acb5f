import { parseArgs } from 'node:util';
import { historyKey } from '../../services/events/history-key.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { releaseValues } from '../../services/platform/event-log/release-values.ts';
import { startSink, TRANSFER_TOPICS } from '../../services/roles/sink/start-sink.ts';
import { bulkBlocks } from '../../services/testing/world/bulk-transfers.ts';
import { readLag } from '../../services/warehouse/sink/lag.ts';
import { BATCH_BYTES, type BenchStore, logger, say, secondsOf, withStore } from './bench-store.ts';
import { prepareEngineFanout } from './engine-fanout.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { measureReplay } from './replay.ts';
import { wholeNumber } from './whole-number.ts';

const RUNS = 5;
const TRANSFERS = 1_000_000;

const sharedBlocks = new URL('../../../shared/data/solana/blocks', import.meta.url).pathname;

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      transfers: { type: 'string', default: String(TRANSFERS) },
      blocks: { type: 'string', default: sharedBlocks },
    },
  });
  const transfers = wholeNumber('transfers', values.transfers);
  const replayed = await measureReplay(values.blocks);
  // Before the blocks below, which no service holds in memory all at once.
  const replayRssMb = process.resourceUsage().maxRSS / 1_024;
  const blocks = [...bulkBlocks({ seed: 1, transfers, chain: 'solana' })];
  const rates: number[] = [];
  const shares: number[] = [];
  for (let at = 0; at < RUNS; at += 1) {
    const seconds = await withStore((bench) => endToEnd(bench, blocks));
    rates.push(transfers / seconds);
    say(`end to end: ${Math.round(transfers / seconds)} transfers/s`);
    shares.push(await withStore((bench) => shareOfFanout(bench, blocks)));
    say(`share of the engine's own fan-out: ${shares.at(-1)?.toFixed(2)}`);
  }
  return [
    toFigure({ name: 'pipeline.transfers_per_s', unit: 'transfers/s', atLeast: 200_000 }, rates),
    toFigure(
      { name: 'pipeline.share_of_engine_fanout', unit: 'log to tables over INSERT SELECT', atLeast: 0.8 },
      shares,
    ),
    ...replayed,
    toFigure({ name: 'pipeline.rss_mb', unit: 'MB outside the engine, peak of the replay', atMost: 1_000 }, [
      replayRssMb,
    ]),
  ];
};

/** Gives how many records these blocks are. */
const appendAll = async ({ store }: BenchStore, blocks: readonly DecodedBlock[]): Promise<number> => {
  let count = 0;
  const running = new Set<Promise<unknown>>();
  for (const block of blocks) {
    const key = historyKey(block.chain, block.number);
    const records = store.encodeBlock(block).map((value) => ({ topic: 'transfers.history', key, value }));
    count += records.length;
    const append = store.log
      .append(records)
      // As a replay does.
      .then(() => releaseValues(records))
      .finally(() => running.delete(append));
    running.add(append);
    if (running.size >= 64) await Promise.race(running);
  }
  await Promise.all(running);
  return count;
};

/** It tells by itself when so many records are stored: on brokers, each look at how far it is would be six requests. */
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

/** From a log that nothing is added to any more into the tables, as a rebuild does it. */
export const secondsToDrain = async (bench: BenchStore): Promise<number> => {
  const records = await readLag(bench.store.log, 'sink', TRANSFER_TOPICS);
  const sink = sinkOf(bench);
  sink.hurry();
  const seconds = await secondsOf(() => sink.untilStored(records));
  await sink.stop();
  return seconds;
};

const endToEnd = async (bench: BenchStore, blocks: readonly DecodedBlock[]): Promise<number> => {
  const sink = sinkOf(bench);
  const seconds = await secondsOf(async () => {
    await sink.untilStored(await appendAll(bench, blocks));
  });
  await sink.stop();
  return seconds;
};

/** The same rows by both ways: through log and sink, then from tables in the engine's memory by its own insert. */
const shareOfFanout = async (bench: BenchStore, blocks: readonly DecodedBlock[]): Promise<number> => {
  await appendAll(bench, blocks);
  const throughSink = await secondsToDrain(bench);
  const fanout = await prepareEngineFanout(bench.warehouse);
  return (await secondsOf(fanout)) / throughSink;
};

export const bench: Bench = { name: 'pipeline', run };
