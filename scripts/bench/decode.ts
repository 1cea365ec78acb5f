import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { BlockFormatError } from '../../services/ingest/block-format-error.ts';
import { type BlockContent, findBlockFiles } from '../../services/ingest/files/block-files.ts';
import { BadInputError } from '../evaluate/read-table.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { UsageError } from './run-chosen.ts';

const RUNS = 25;
/** A block of 20 kB is parsed faster than the garbage of a few is collected, so a run has this many. */
const RUN_MS = 10;
const WARM_UP_RUNS = 15;
// A replay decodes thousands of blocks with compiled code. 15 runs of a block of 100 kB take 10 ms, before
// anything is compiled.
const WARM_UP_MS = 1_000;
const MS_PER_S = 1_000;
const EVM_PART = /^(block|receipts|traces|uncles)\.json(\.gz)?$/;

type Measured = { readonly parseMs: number; readonly decodeMs: number; readonly transfers: number };

/**
 * `--block FILE` (of an EVM block its folder, or one of its files), once for each block to measure.
 * @throws Error on wrong usage, or on what cannot be read
 */
export const benchDecode = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { block: { type: 'string', multiple: true }, chain: { type: 'string' } },
  });
  if (values.block === undefined) throw new UsageError('bench decode needs --block FILE, at least once');
  const figures: Figure[] = [];
  // Fees of votes are rows here.
  for await (const file of findBlockFiles(values.block, { chain: values.chain ?? null, votes: 'each' }))
    figures.push(...(await benchBlock(file.path, await file.read())));
  if (figures.length === 0)
    throw new BadInputError(
      values.block.join(', '),
      'no block file is there: .json, .json.gz, or an EVM block’s folder',
    );
  return figures;
};

const benchBlock = async (path: string, content: BlockContent): Promise<Figure[]> => {
  try {
    content.decode();
  } catch (error) {
    if (error instanceof BlockFormatError) throw new BadInputError(path, error.message);
    throw error;
  }
  const parts = await readParts(path);
  const warmMs = performance.now() + WARM_UP_MS;
  let once = measure(parts, content, 1);
  for (let run = 0; run < WARM_UP_RUNS || performance.now() < warmMs; run++)
    once = measure(parts, content, 1);
  const repeats = Math.ceil(RUN_MS / once.parseMs);
  const runs = Array.from({ length: RUNS }, () => measure(parts, content, repeats));
  const subject = (await stat(path)).isDirectory()
    ? `${basename(dirname(path))}/${basename(path)}`
    : basename(path);
  return [
    toFigure(
      { name: 'decode.over_json_parse', unit: 'parse and decode over JSON.parse', subject, atMost: 2 },
      runs.map(({ parseMs, decodeMs }) => decodeMs / parseMs),
    ),
    toFigure(
      { name: 'decode.transfers_per_s', unit: 'movements/s', subject },
      runs.map(({ decodeMs, transfers }) => (transfers * MS_PER_S) / decodeMs),
    ),
  ];
};

/** What `decode` reads, uncompressed. */
const readParts = async (path: string): Promise<readonly Buffer[]> => {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => EVM_PART.test(name)) : [''];
  const files = names.map((name) => join(path, name));
  return Promise.all(
    files.map(async (file) => (file.endsWith('.gz') ? gunzipSync(await readFile(file)) : readFile(file))),
  );
};

/** Both alternate over the same bytes, so a slow machine slows both. */
const measure = (parts: readonly Buffer[], content: BlockContent, repeats: number): Measured => {
  let start = performance.now();
  for (let i = 0; i < repeats; i++) for (const part of parts) JSON.parse(part.toString());
  const parseMs = performance.now() - start;
  let transfers = 0;
  start = performance.now();
  for (let i = 0; i < repeats; i++) transfers += content.decode().movements.length;
  return { parseMs, decodeMs: performance.now() - start, transfers };
};

export const bench: Bench = { name: 'decode', run: benchDecode };
