import { stringify } from 'csv-stringify/sync';

/** Writes rows as CSV to stdout. Spreadsheets take some first characters for formulas: those are quoted away. */
export const printRows = (rows: readonly Readonly<Record<string, unknown>>[]): void => {
  process.stdout.write(stringify([...rows], { header: true, escape_formulas: true }));
};
