import { basename } from 'node:path';
import { type CsvError, parse } from 'csv-parse';
import { openPacked } from '../platform/open-packed.ts';
import type { PriceRefusal, PriceRow } from './check-price-row.ts';

/** What the file is or has not; nothing of it was stored. */
export class PriceFileError extends Error {
  readonly code = 'price_file';
  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.name = 'PriceFileError';
  }
}

/** For all rows of a list that does not say it itself. */
export type PriceListOptions = {
  readonly chain?: string;
  readonly asset?: string;
  /** Name of the list; that of the file, if not given. */
  readonly source?: string;
};

const RECORD_BYTES_MAX = 1 << 16;

/** Our columns, and other lists' words for them: a daily export of a price site is read as it comes. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  time: ['time', 'timestamp', 'unix', 'date', 'datetime', 'day', 'snapped_at', 'open_time'],
  usd: ['usd', 'price', 'price_usd', 'close'],
  chain: ['chain', 'blockchain', 'network'],
  asset: ['asset', 'address', 'token', 'contract', 'contract_address', 'mint'],
};

type Parsed = { readonly record: Readonly<Record<string, string>>; readonly info: { lines: number } };

export const sourceOf = (path: string, { source }: PriceListOptions): string =>
  source ?? basename(path).replace(/(\.csv)?(\.gz)?$/, '');

/**
 * The rows of a CSV file with a header (`time,usd` and, unless the options say it, `chain,asset`), packed or not. Lines that
 * are no records are refused one by one. Throws `PriceFileError` where a column is missing.
 */
export async function* readPriceList(
  path: string,
  options: PriceListOptions,
): AsyncGenerator<{ readonly row: PriceRow } | { readonly refusal: PriceRefusal }> {
  const refused: PriceRefusal[] = [];
  const parser = parse({
    bom: true,
    columns: (header: readonly string[]) => toColumns(path, header, options),
    delimiter: [',', ';', '\t'],
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: RECORD_BYTES_MAX,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) => {
      refused.push({
        at: `line ${error?.lines ?? '?'}`,
        code: 'unreadable',
        reason: error?.message ?? 'is no record',
      });
    },
  });
  openPacked(path)
    .on('error', (error) => parser.destroy(error))
    .pipe(parser);
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    yield* refused.splice(0).map((refusal) => ({ refusal }));
    const cell = (column: string): string => record[column]?.trim() ?? '';
    yield {
      row: {
        at: `line ${info.lines}`,
        chain: cell('chain') || (options.chain ?? ''),
        asset: cell('asset') || (options.asset ?? ''),
        time: cell('time'),
        usd: cell('usd'),
      },
    };
  }
  yield* refused.map((refusal) => ({ refusal }));
}

const toColumns = (path: string, header: readonly string[], options: PriceListOptions): string[] => {
  const theirs = header.map((name) => name.trim().toLowerCase());
  const chosen = new Map(
    Object.entries(COLUMNS).map(([ours, words]) => [words.find((word) => theirs.includes(word)), ours]),
  );
  const names = theirs.map((name) => chosen.get(name) ?? `other ${name}`);
  const missing = Object.keys(COLUMNS).filter(
    (column) => !names.includes(column) && options[column as keyof PriceListOptions] === undefined,
  );
  if (missing.length > 0)
    throw new PriceFileError(path, `has no column ${missing.join(', ')}; it has ${header.join(', ')}`);
  return names;
};
