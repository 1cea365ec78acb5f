import { basename } from 'node:path';
import { openPacked } from '../platform/open-packed.ts';
import { readCsv } from '../platform/read-csv.ts';
import type { PriceRefusal, PriceRow } from './check-price-row.ts';

/** What is wrong with the file; nothing of it was stored. */
export class PriceFileError extends Error {
  readonly code = 'price_file';
  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.name = 'PriceFileError';
  }
}

/** Defaults for rows that do not say it. */
export type PriceListOptions = {
  readonly chain?: string;
  readonly asset?: string;
  /** Name of the list; by default the file's. */
  readonly source?: string;
};

/** Our columns and other lists' names for them, so that a price site's daily export can be imported unchanged. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  time: ['time', 'timestamp', 'unix', 'date', 'datetime', 'day', 'snapped_at', 'open_time'],
  usd: ['usd', 'price', 'price_usd', 'close'],
  chain: ['chain', 'blockchain', 'network'],
  asset: ['asset', 'address', 'token', 'contract', 'contract_address', 'mint'],
};

export const sourceOf = (path: string, { source }: PriceListOptions): string =>
  source ?? basename(path).replace(/(\.csv)?(\.gz)?$/, '');

/**
 * The rows of a CSV file with a header (`time,usd` and, unless the options say it, `chain,asset`), packed or not.
 * Invalid lines are refused one by one. Throws `PriceFileError` if a column is missing or repeated.
 */
export async function* readPriceList(
  path: string,
  options: PriceListOptions,
): AsyncGenerator<{ readonly row: PriceRow } | { readonly refusal: PriceRefusal }> {
  const refuse = (problem: string) => new PriceFileError(path, problem);
  const form = {
    delimiters: [',', ';', '\t'],
    nameColumns: (header: readonly string[]) => nameColumns(header, refuse),
    needed: Object.keys(COLUMNS).filter((column) => options[column as keyof PriceListOptions] === undefined),
    refuse,
  };
  for await (const read of readCsv(openPacked(path), form)) {
    const { where } = read;
    if ('unreadable' in read) {
      yield { refusal: { where, code: 'unreadable', reason: read.unreadable } };
      continue;
    }
    const { cell } = read;
    const chain = cell('chain') || (options.chain ?? '');
    const asset = cell('asset') || (options.asset ?? '');
    yield { row: { where, chain, asset, time: cell('time'), usd: cell('usd') } };
  }
}

const nameColumns = (header: readonly string[], refuse: (problem: string) => Error): string[] => {
  const theirs = header.map((name) => name.trim().toLowerCase());
  const chosen = new Map(
    Object.entries(COLUMNS).map(([ours, words]) => [words.find((word) => theirs.includes(word)), ours]),
  );
  const twice = theirs.find((name, at) => chosen.has(name) && theirs.indexOf(name) !== at);
  if (twice !== undefined) throw refuse(`has two columns ${twice}`);
  return theirs.map((name) => chosen.get(name) ?? `other ${name}`);
};
