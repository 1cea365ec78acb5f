import { stringify } from 'csv-stringify/sync';

export type CsvRow = Readonly<Record<string, string | number | boolean | null>>;

type CsvOptions = {
  /** Default: those of the first row. */
  readonly columns?: readonly string[];
  readonly lineEnd: '\n' | '\r\n';
};

/**
 * Writes rows with a header (RFC 4180). Spreadsheets interpret some first characters as formulas, so those
 * are escaped.
 */
export const writeCsv = (rows: readonly CsvRow[], { columns, lineEnd }: CsvOptions): string =>
  stringify([...rows], {
    header: true,
    escape_formulas: true,
    record_delimiter: lineEnd,
    ...(columns && { columns: [...columns] }),
  });
