import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { findBlockFiles } from '../../services/ingest/files/block-files.ts';
import { partPath } from '../../services/ingest/files/block-part.ts';
import { createDecodePool } from '../../services/ingest/files/decode-pool.ts';
import { type FileIngested, FinishedFiles } from '../../services/ingest/files/finished-files.ts';
import { replay } from '../../services/ingest/files/replay.ts';
import { openCodec } from '../../services/platform/avro/codec.ts';
import {
  BULK_LINGER_MS,
  SINK_GROUP,
  startSink,
  TRANSFER_TOPICS,
} from '../../services/roles/sink/start-sink.ts';
import { readLag } from '../../services/warehouse/sink/lag.ts';
import { BadInputError } from '../evaluate/read-table.ts';
import { BATCH_BYTES, type BenchStore, logger, say, secondsOf, withStore } from './bench-store.ts';
import { type Figure, toFigure } from './figure.ts';

const RUNS_MAX = 3;
const MEGABYTE = 1_000_000;
/** The digits of a copy's hash that number it. */
const COPY_DIGITS = 5;
const COPIES_MAX = 10 ** COPY_DIGITS / 2;
const COPY_STEP = 10_000_000;

type ReplaySize = {
  readonly runs: number;
  /** As many copies of each block, with other numbers and hashes, as make this much together. */
  readonly megabytes: number;
};

/**
 * Wall time of a full replay including tables, divided by `JSON.parse` of the same bytes, alternating. Throws
 * `BadInputError` if the folder has no blocks.
 */
export const measureReplay = async (blocks: string, size: ReplaySize): Promise<Figure> => {
  const folder = await mkdtemp(join(tmpdir(), 'spoor-bench-blocks-'));
  try {
    const copies = await writeCopies(blocks, folder, size.megabytes * MEGABYTE);
    if (copies.blocks === 0) throw new BadInputError(blocks, 'no block file is there that can be decoded');
    const ratios: number[] = [];
    for (let run = 0; run < Math.min(size.runs, RUNS_MAX); run += 1) {
      const parsing = await parseAll(copies.files);
      const replaying = await withStore((bench) => secondsToReplay(bench, folder, copies.blocks));
      ratios.push(replaying / parsing);
      say(`replay: ${replaying.toFixed(2)} s, JSON.parse: ${parsing.toFixed(2)} s`);
    }
    const ratio = { name: 'pipeline.replay_over_json_parse', unit: 'wall time over JSON.parse', atMost: 3 };
    return toFigure(ratio, ratios);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

type Found = {
  readonly path: string;
  readonly chain: string;
  readonly number: number;
  readonly hash: string;
};

/** The blocks of a folder, each once: the sink would skip another encoding of one. Broken ones are reported. */
const findBlocks = async (blocks: string): Promise<{ found: Found[]; bytes: number }> => {
  const found = new Map<string, Found>();
  let bytes = 0;
  for await (const file of findBlockFiles([blocks], { chain: null, votes: 'sum' })) {
    const { path } = file;
    try {
      const content = await file.read();
      const { chain, number, hash } = content.decode();
      if (!found.has(hash)) bytes += content.bytes;
      found.set(hash, found.get(hash) ?? { path, chain, number, hash });
    } catch (error) {
      say(`left out: ${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { found: [...found.values()], bytes };
};

type Copies = { readonly blocks: number; readonly files: readonly string[] };

/**
 * Uncompressed blocks in one folder. A copy has its own number and hash, so the pipeline takes it as another
 * block.
 */
const writeCopies = async (blocks: string, folder: string, bytesMin: number): Promise<Copies> => {
  const { found, bytes } = await findBlocks(blocks);
  const copies = Math.min(COPIES_MAX, Math.ceil(bytesMin / bytes));
  const files: string[] = [];
  for (const block of found) {
    const texts = await readTexts(block.path);
    for (let copy = 0; copy < copies; copy += 1) {
      const place = block.number + copy * COPY_STEP;
      for (const [part, text] of texts) {
        const name = part === null ? `${place}.json` : `${block.chain}/${place}/${part}.json`;
        const path = join(folder, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, part === null ? withHash(text, block, copy) : withPlace(text, block, copy));
        files.push(path);
      }
    }
  }
  return { blocks: found.length * copies, files };
};

const withHash = (text: string, { hash }: Found, copy: number): string =>
  text.replaceAll(hash, `${hash.slice(0, -COPY_DIGITS)}${10 ** COPY_DIGITS / 10 + copy}`);

/** An EVM block's number is in each part; a Solana block's is its file's name. */
const withPlace = (text: string, block: Found, copy: number): string =>
  withHash(text, block, copy).replaceAll(
    /("(?:number|blockNumber)"\s*:\s*)(?:"(0x[0-9a-f]+)"|(\d+))/gi,
    (whole, key: string, hex?: string, decimal?: string) => {
      if (Number(hex ?? decimal) !== block.number) return whole;
      const place = block.number + copy * COPY_STEP;
      return `${key}${hex === undefined ? place : `"0x${place.toString(16)}"`}`;
    },
  );

/** The content of a block file, or of each part of an EVM folder by name. */
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

/** Seconds of `JSON.parse` alone, without reading. */
const parseAll = async (files: readonly string[]): Promise<number> => {
  let seconds = 0;
  for (const path of files) {
    const text = await readFile(path, 'utf8');
    seconds += await secondsOf(async () => JSON.parse(text));
  }
  return seconds;
};

const secondsToReplay = async (bench: BenchStore, folder: string, blocks: number): Promise<number> => {
  const seconds = await secondsOf(() => replayAll(bench, folder));
  const answer = await bench.warehouse.writer.query({
    query: 'SELECT toUInt32(count()) AS stored FROM blocks WHERE part = 0',
    format: 'JSONEachRow',
  });
  const [{ stored } = { stored: 0 }] = await answer.json<{ stored: number }>();
  // Missing rows would make the replay look fast.
  if (stored !== blocks) throw new Error(`${stored} of ${blocks} blocks are in the tables`);
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
