import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeEvmBlock } from '../../ingest/evm/decode-evm-block.ts';
import { sharedData } from '../shared-data.ts';

/** A real block from the shared data, read in place by tests. */
export type RealBlock = {
  readonly chain: string;
  readonly number: string;
  /** The row of `INDEX.csv`. */
  readonly counts: Readonly<Record<string, string>>;
};

/** Fields hold no quotes or commas but in the last ones, which no test reads. */
export const readCsv = (text: string): Record<string, string>[] => {
  const [head = '', ...lines] = text.trim().split('\n');
  const names = head.trim().split(',');
  return lines.map((line) => {
    const values = line.trim().split(',');
    return Object.fromEntries(names.map((name, position) => [name, values[position] ?? '']));
  });
};

const readText = (path: string): string | null => {
  for (const file of [sharedData(path), sharedData(`${path}.gz`)]) {
    if (!existsSync(file)) continue;
    const bytes = readFileSync(file);
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  }
  return null;
};

export const listRealBlocks = (): RealBlock[] => {
  const text = readText('evm/INDEX.csv');
  if (text === null) return [];
  return readCsv(text).map((counts) => ({ chain: counts.chain ?? '', number: counts.number ?? '', counts }));
};

export type RawParts = { readonly block: unknown; readonly receipts: unknown; readonly traces: unknown };

export const readRealParts = ({ chain, number }: Pick<RealBlock, 'chain' | 'number'>): RawParts => {
  const part = (name: string): unknown => {
    const text = readText(`evm/${chain}/${number}/${name}.json`);
    return text === null ? null : JSON.parse(text);
  };
  return { block: part('block'), receipts: part('receipts'), traces: part('traces') };
};

export const decodeRealBlock = (
  block: Pick<RealBlock, 'chain' | 'number'>,
): ReturnType<typeof decodeEvmBlock> => decodeEvmBlock({ chain: block.chain, ...readRealParts(block) });

/** What another parser found in the block; null where there is no such file. */
export const readExpected = ({ chain, number }: RealBlock, name: string): string | null =>
  readText(`evm/expected/${chain}/${number}.${name}`);
