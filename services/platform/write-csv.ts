import { stringify } from 'csv-stringify/sync';

export type CsvRow = Readonly<Record<string, string | number | boolean | null>>;

type CsvOptions = {
  /** Otherwise those of the first row. */
  readonly columns?: readonly string[];
  readonly lineEnd: '\n' | '\r\n';
};

/** Rows with a header (RFC 4180). Spreadsheets take some first characters for formulas: those are quoted away. */
export const writeCsv = (rows: readonly CsvRow[], { columns, lineEnd }: CsvOptions): string =>
  stringify([...rows], {
    header: true,
    escape_formulas: true,
    record_delimiter: lineEnd,
    ...(columns && { columns: [...columns] }),
  });
