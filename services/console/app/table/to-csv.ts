import type { EvidenceRow } from './list-evidence.ts';
import { writeCsv } from './write-csv.ts';

const COLUMNS = [
  ['time_utc', (row) => new Date(row.timeUnixSeconds * 1_000).toISOString()],
  ['chain', (row) => row.chain],
  ['transaction', (row) => row.hash],
  ['from', (row) => row.from],
  ['to', (row) => row.to],
  ['to_label', (row) => row.toLabel?.name ?? ''],
  ['to_kind', (row) => row.toLabel?.kind ?? ''],
  ['asset', (row) => row.symbol],
  ['amount', (row) => String(row.amount)],
  ['amount_raw', (row) => row.amountRaw],
  ['usd', (row) => (row.usd === null ? '' : row.usd.toFixed(2))],
  ['probability', (row) => String(row.probability)],
] as const satisfies readonly (readonly [string, (row: EvidenceRow) => string])[];

/** The evidence as a CSV file. */
export const toCsv = (rows: readonly EvidenceRow[]): string =>
  writeCsv(
    COLUMNS.map(([name]) => name),
    rows.map((row) => COLUMNS.map(([, read]) => read(row))),
  );
