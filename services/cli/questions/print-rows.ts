import { type CsvRow, writeCsv } from '../../platform/write-csv.ts';

/** Writes rows as CSV to stdout. */
export const printRows = (rows: readonly CsvRow[], columns?: readonly string[]): void => {
  process.stdout.write(writeCsv(rows, { lineEnd: '\n', ...(columns && { columns }) }));
};
