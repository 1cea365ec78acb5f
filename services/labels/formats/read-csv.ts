import { type CsvError, parse } from 'csv-parse';
import type { Refusal } from '../rules/check-row.ts';
import { type LabelFile, LabelFileError } from './label-format.ts';

const RECORD_BYTES_MAX = 1 << 20;
const SWALLOWING = new Set(['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE']);

export type CsvRecord = { readonly at: string; readonly cell: (column: string) => string };
export type CsvRow = { readonly record: CsvRecord } | { readonly refusal: Refusal };

type Parsed = { readonly record: Readonly<Record<string, string>>; readonly info: { lines: number } };

/**
 * The records of a CSV file with a header, one at a time, under the names that `--columns` gives the columns, or that
 * `usual` (other lists' word → ours) knows. Lines that are no records are refused one by one. Throws `LabelFileError`
 * where a needed column is missing.
 */
export async function* readCsv(
  file: LabelFile,
  needed: readonly string[],
  usual: Readonly<Record<string, string>> = {},
): AsyncGenerator<CsvRow> {
  const refused: Refusal[] = [];
  const { columns = {} } = file.options;
  const renamed = new Map(Object.entries(columns).map(([ours, theirs]) => [theirs, ours]));
  const toColumns = (header: readonly string[]): string[] => {
    const theirs = header.map((name) => renamed.get(name) ?? name.trim().toLowerCase());
    // Never a second column of the same name: the list's own word for it wins.
    const names = theirs.map((name) => (theirs.includes(usual[name] ?? name) ? name : (usual[name] ?? name)));
    const missing = needed.filter((name) => !names.includes(name));
    if (missing.length > 0)
      throw new LabelFileError(file.path, `has no column ${missing.join(', ')}; it has ${header.join(', ')}`);
    return names;
  };
  const parser = parse({
    bom: true,
    columns: toColumns,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: RECORD_BYTES_MAX,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) => {
      // What follows an opening quote that is never closed is no row any more: nothing of it can be accounted for.
      if (error !== undefined && SWALLOWING.has(error.code))
        throw new LabelFileError(
          file.path,
          `has a quote that is never closed behind row ${error.records ?? '?'}`,
        );
      const at = `line ${error?.lines ?? '?'}`;
      refused.push({ at, address: '', code: 'unreadable', reason: error?.message ?? 'is no record' });
    },
  });
  file
    .open()
    .on('error', (error) => parser.destroy(error))
    .pipe(parser);
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    yield* refused.splice(0).map((refusal) => ({ refusal }));
    yield { record: { at: `line ${info.lines}`, cell: (column) => record[column]?.trim() ?? '' } };
  }
  yield* refused.map((refusal) => ({ refusal }));
}
