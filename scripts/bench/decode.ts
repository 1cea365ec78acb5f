import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { decodeSolanaBlock } from '../../services/ingest/solana/decode-solana-block.ts';
import { parseSolanaBlock } from '../../services/ingest/solana/parse-solana-block.ts';
import { slotOf } from '../../services/ingest/solana/slot-of.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';

const RUNS = 25;
const WARM_UP_RUNS = 15;
const MS_PER_S = 1_000;

type Measured = { readonly parseMs: number; readonly decodeMs: number; readonly transfers: number };

/** `--block FILE`, once for each block to measure. @throws Error on wrong usage or a file that cannot be read */
export const benchDecode = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { block: { type: 'string', multiple: true } },
  });
  if (values.block === undefined) throw new Error('bench decode needs --block FILE, at least once');
  const figures: Figure[] = [];
  for (const path of values.block) figures.push(...(await benchBlock(path)));
  return figures;
};

const benchBlock = async (path: string): Promise<Figure[]> => {
  const bytes = await readFile(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const runs: Measured[] = [];
  for (let run = 0; run < WARM_UP_RUNS + RUNS; run++) {
    const measured = measureOnce(text, path);
    if (run >= WARM_UP_RUNS) runs.push(measured);
  }
  const subject = basename(path);
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

/** Both in turn in every run, so that whatever slows the machine down slows both. Fees of votes are rows here. */
const measureOnce = (text: string, path: string): Measured => {
  let start = performance.now();
  const parsed: unknown = JSON.parse(text);
  const parseMs = performance.now() - start;
  const slot = slotOf(path, parsed);
  start = performance.now();
  const block = parseSolanaBlock(text);
  const { movements } = decodeSolanaBlock({ block, slot, chain: 'solana', votes: 'each' });
  return { parseMs, decodeMs: performance.now() - start, transfers: movements.length };
};

export const bench: Bench = { name: 'decode', run: benchDecode };
