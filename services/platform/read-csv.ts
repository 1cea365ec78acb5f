import { pipeline, Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { showable } from './showable.ts';

const RECORD_BYTES_MAX = 1 << 20;
const SWALLOWING = new Set(['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE']);

/** `where`: `line 12`. A cell is empty when the file has no such column. */
export type CsvRecord = { readonly where: string; readonly cell: (column: string) => string };
export type CsvUnreadable = { readonly where: string; readonly unreadable: string };

export type CsvForm = {
  /** Possible delimiters. The most frequent one in the header applies to the whole file. */
  readonly delimiters?: readonly string[];
  /** Our names for a header's columns, in their order. */
  readonly nameColumns: (header: readonly string[]) => string[];
  readonly needed: readonly string[];
  /** The error for a file of another form: `has no column usd`. */
  readonly refuse: (problem: string) => Error;
};

type Parsed = { readonly record: Readonly<Record<string, string>>; readonly info: { lines: number } };

/**
 * Yields the records of a CSV file with a header one at a time, and the unreadable lines. A line with more or
 * fewer cells than the header is unreadable, because an unquoted comma in a name would shift the cells after
 * it. Throws the error of `refuse` when the header or a needed column is missing, or when a quote is never
 * closed, because everything after it is ambiguous.
 */
export async function* readCsv(
  file: Readable,
  { delimiters = [','], nameColumns, needed, refuse }: CsvForm,
): AsyncGenerator<CsvRecord | CsvUnreadable> {
  const { line, whole } = await peekLine(file);
  const unreadable: CsvUnreadable[] = [];
  let hasHeader = false;
  const toColumns = (header: readonly string[]): string[] => {
    hasHeader = true;
    const names = nameColumns(header);
    const missing = needed.filter((name) => !names.includes(name));
    if (missing.length === 0) return names;
    throw refuse(`has no column ${missing.join(', ')}; it has ${showable(header.join(', '))}`);
  };
  const parser = parse({
    bom: true,
    columns: toColumns,
    delimiter: chooseDelimiter(line, delimiters),
    info: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: RECORD_BYTES_MAX,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) => {
      if (error !== undefined && SWALLOWING.has(error.code))
        throw refuse(`has a quote that is never closed behind row ${error.records ?? '?'}`);
      unreadable.push({
        where: `line ${error?.lines ?? '?'}`,
        unreadable: error?.message ?? 'is not a record',
      });
    },
  });
  // The reader of the records gets the error of either stream.
  const records: AsyncIterable<Parsed> = pipeline(whole, parser, () => {});
  for await (const { record, info } of records) {
    yield* unreadable.splice(0);
    yield { where: `line ${info.lines}`, cell: (column) => record[column]?.trim() ?? '' };
  }
  yield* unreadable;
  if (!hasHeader) throw refuse('is empty, where a header was expected');
}

const chooseDelimiter = (header: string, delimiters: readonly string[]): string => {
  const countOf = (delimiter: string): number => header.split(delimiter).length;
  return delimiters.toSorted((a, b) => countOf(b) - countOf(a))[0] ?? ',';
};

/** The first non-empty line, up to a record's maximum size, and the whole file again. */
const peekLine = async (file: Readable): Promise<{ readonly line: string; readonly whole: Readable }> => {
  const chunks: AsyncIterator<Buffer> = file[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let text = '';
  for (let isLine = false; !isLine && head.length < RECORD_BYTES_MAX; isLine = text.includes('\n')) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, Buffer.from(value)]);
    text = head.toString().trimStart();
  }
  const rest = async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  return { line: text.split('\n', 1)[0] ?? '', whole: Readable.from(rest(), { objectMode: false }) };
};
