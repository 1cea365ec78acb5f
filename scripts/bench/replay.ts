import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { findBlockFiles } from '../../services/ingest/block-files.ts';
import { partPath } from '../../services/ingest/block-part.ts';
import { createDecodePool } from '../../services/ingest/decode-pool.ts';
import { type FileIngested, FinishedFiles } from '../../services/ingest/finished-files.ts';
import { replay } from '../../services/ingest/replay.ts';
import { openCodec } from '../../services/platform/avro/codec.ts';
import {
  BULK_LINGER_MS,
  SINK_GROUP,
  startSink,
  TRANSFER_TOPICS,
} from '../../services/roles/sink/start-sink.ts';
import { readLag } from '../../services/warehouse/sink/lag.ts';
import { BATCH_BYTES, type BenchStore, logger, say, secondsOf, withStore } from './bench-store.ts';
import { type Figure, toFigure } from './figure.ts';

const RUNS = 3;
// Enough bytes that starting and stopping weigh little: each block this many times, under another slot and hash.
const COPIES = 36;

/** Wall time of a full replay, tables included, over `JSON.parse` of the same bytes, in turn. None without blocks. */
export const measureReplay = async (blocks: string): Promise<Figure[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'spoor-bench-blocks-'));
  try {
    const files = await writeCopies(blocks, folder);
    if (files.length === 0) {
      say(`no block files in ${blocks}: replay was not measured`);
      return [];
    }
    const ratios: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const parsing = await parseAll(files);
      const replaying = await withStore((bench) => secondsOf(() => replayAll(bench, folder)));
      ratios.push(replaying / parsing);
      say(`replay: ${replaying.toFixed(2)} s, JSON.parse: ${parsing.toFixed(2)} s`);
    }
    return [
      toFigure(
        { name: 'pipeline.replay_over_json_parse', unit: 'wall time over JSON.parse', atMost: 3 },
        ratios,
      ),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Uncompressed blocks in one folder. A copy is another block to the pipeline: its own hash, on Solana its own slot. */
const writeCopies = async (blocks: string, folder: string): Promise<string[]> => {
  const written: string[] = [];
  if (!existsSync(blocks)) return written;
  const hashes = new Set<string>();
  for await (const file of findBlockFiles([blocks], { chain: null, votes: 'sum' })) {
    const { chain, number, hash } = (await file.read()).decode();
    // The same block in another encoding would be left out by the sink.
    if (hashes.has(hash)) continue;
    hashes.add(hash);
    const texts = await readTexts(file.path);
    for (let copy = 0; copy < COPIES; copy += 1) {
      const place = number + copy * 10_000_000;
      for (const [part, text] of texts) {
        const path = join(folder, part === null ? `${place}.json` : `${chain}/${place}/${part}.json`);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text.replaceAll(hash, `${hash.slice(0, -2)}${copy + 10}`));
        written.push(path);
      }
    }
  }
  return written;
};

/** The content of a block file, or of each part of the folder of an EVM block under its name. */
const readTexts = async (path: string): Promise<(readonly [part: string | null, text: string])[]> => {
  const isFolder = (await stat(path)).isDirectory();
  if (!isFolder) return [[null, await readText(path)]];
  const texts: [string, string][] = [];
  for (const part of ['block', 'receipts', 'traces', 'uncles']) {
    const found = partPath(path, part);
    if (found !== null) texts.push([part, await readText(found)]);
  }
  return texts;
};

const readText = async (path: string): Promise<string> => {
  const bytes = await readFile(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};

/** Seconds of `JSON.parse` alone, reading left out. */
const parseAll = async (files: readonly string[]): Promise<number> => {
  let seconds = 0;
  for (const path of files) {
    const text = await readFile(path, 'utf8');
    seconds += await secondsOf(async () => JSON.parse(text));
  }
  return seconds;
};

const replayAll = async ({ store, warehouse }: BenchStore, folder: string): Promise<void> => {
  const sink = startSink({
    store,
    warehouse,
    logger,
    batchBytesMax: BATCH_BYTES,
    // As `spoor replay` has it.
    lingerMs: BULK_LINGER_MS,
  });
  const codec = await openCodec<FileIngested>(store.registry, 'FileIngested');
  const nothing = () => {};
  const finished = await FinishedFiles.read(store.log, codec, 'bench', nothing);
  const events = { stored: nothing, skipped: nothing, refused: nothing, unreadable: nothing };
  const files = findBlockFiles([folder], { chain: null, votes: 'sum' });
  const pool = createDecodePool(store.blockSchemaId);
  const options = { files, chain: null, log: store.log, pool, finished, events };
  await replay(options, AbortSignal.timeout(600_000));
  await pool.close();
  sink.hurry();
  while ((await readLag(store.log, SINK_GROUP, TRANSFER_TOPICS)) > 0)
    await new Promise((r) => setTimeout(r, 5));
  await sink.stop();
};
