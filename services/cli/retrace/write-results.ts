import { stringify } from 'csv-stringify/sync';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { COLUMNS, NAMES, type ResultRow, toRows } from '../../api/retrace/result-rows.ts';
import { openDraft } from '../../platform/replace-file.ts';
import { jsonLine } from './json-line.ts';
import type { KeptResult } from './result.ts';

export const FORMATS = ['csv', 'jsonl', 'parquet'] as const;
type Format = (typeof FORMATS)[number];

/** By the file name's ending. */
export const formatOf = (path: string): Format | null =>
  FORMATS.find((format) => path.endsWith(`.${format}`)) ?? null;

/** Rows of Parquet that are held at once. */
const ROWS_PER_PIECE = 50_000;

/** Replaces the whole file or nothing. */
export const writeResults = async (path: string, results: AsyncIterable<KeptResult>): Promise<void> => {
  const draft = openDraft(path);
  try {
    const write = WRITERS[formatOf(path) ?? 'jsonl'];
    await write(results, (bytes) => draft.write(bytes));
  } catch (error) {
    draft.discard();
    throw error;
  }
  draft.keep();
};

type Write = (results: AsyncIterable<KeptResult>, write: (bytes: Uint8Array) => void) => Promise<void>;

const WRITERS: Readonly<Record<Format, Write>> = {
  jsonl: async (results, write) => {
    for await (const { place: _, body: anchor, ...result } of results)
      write(Buffer.from(jsonLine({ ...result, anchor })));
  },
  csv: async (results, write) => {
    const columns = [...NAMES];
    write(Buffer.from(stringify([], { header: true, columns })));
    // Spreadsheets interpret some first characters as formulas, so those are escaped.
    for await (const result of results)
      write(Buffer.from(stringify(toRows(result), { columns, escape_formulas: true })));
  },
  parquet: async (results, write) => {
    const rows: ResultRow[] = [];
    for await (const result of results) rows.push(...toRows(result));
    const columnData = NAMES.map((name) => ({
      name,
      data: rows.map((row) => row[name] ?? null),
      type: COLUMNS[name],
      nullable: true,
    }));
    write(new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: ROWS_PER_PIECE })));
  },
};
