import { createReadStream } from 'node:fs';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { readCsv } from '../../platform/read-csv.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { type AnchorRow, NEEDED_COLUMNS } from './anchor.ts';

/** Rows of a Parquet file held in memory. */
const ROWS_AT_ONCE = 10_000;

/** A row, or why it cannot be read. */
export type RowRead = AnchorRow | { readonly at: string; readonly unreadable: string };

export class InputError extends Error {
  readonly code = 'input';
}

/** The rows of a CSV file with a header, or of a Parquet file, in order. Throws `InputError`. */
export const readRows = (path: string): AsyncGenerator<RowRead> =>
  path.endsWith('.parquet') ? readParquet(path) : readCsvRows(path);

async function* readCsvRows(path: string): AsyncGenerator<RowRead> {
  let columns: readonly string[] = [];
  const form = {
    delimiters: [',', ';', '\t'],
    nameColumns: (header: readonly string[]): string[] => {
      columns = header.map((name) => name.trim().toLowerCase());
      return [...columns];
    },
    needed: NEEDED_COLUMNS,
    refuse: (problem: string) => new InputError(`${path} ${problem}`),
  };
  for await (const record of readCsv(createReadStream(path), form)) {
    if ('unreadable' in record) yield { at: record.where, unreadable: record.unreadable };
    else
      yield { at: record.where, cells: Object.fromEntries(columns.map((name) => [name, record.cell(name)])) };
  }
}

async function* readParquet(path: string): AsyncGenerator<RowRead> {
  const file = await asyncBufferFromFile(path);
  for (let from = 0; ; from += ROWS_AT_ONCE) {
    const rows = await parquetReadObjects({ file, rowStart: from, rowEnd: from + ROWS_AT_ONCE }).catch(
      (error: unknown) => {
        throw new InputError(`${path} cannot be read as Parquet: ${String(error)}`);
      },
    );
    if (from === 0) refuseMissing(path, rows[0]);
    for (const [at, cells] of rows.entries()) yield { at: `row ${from + at + 1}`, cells };
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

const refuseMissing = (name: string, first: Readonly<Record<string, unknown>> | undefined): void => {
  const missing = NEEDED_COLUMNS.filter((column) => first !== undefined && !(column in first));
  if (missing.length > 0) throw new InputError(`${name} has no column ${missing.join(', ')}`);
};

/** The rows of a read-only query. Throws `InputError`. */
export const askRows = async (client: WarehouseClient, sql: string): Promise<RowRead[]> => {
  const query = sql.trim().replace(/;$/, '');
  const rows = await client
    .query({ query, format: 'JSONEachRow', clickhouse_settings: { readonly: '1' } })
    .then((answer) => answer.json<Record<string, unknown>>())
    .catch((error: unknown) => {
      throw new InputError(`--sql: ${error instanceof Error ? error.message : String(error)}`);
    });
  refuseMissing('what --sql gives', rows[0]);
  // Without an order the next run would have another input.
  const ordered = rows.map((cells) => JSON.stringify(cells)).sort();
  return ordered
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map((cells, at) => ({ at: `row ${at + 1}`, cells }));
};
