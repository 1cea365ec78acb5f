import { type CsvRecord, readCsv as readRecords } from '../../platform/read-csv.ts';
import { type LabelFile, LabelFileError, type ReadRow } from './label-format.ts';

export type CsvList = {
  readonly needed: readonly string[];
  /** Other lists' words for our columns. */
  readonly usual?: Readonly<Record<string, string>>;
  readonly toRow: (record: CsvRecord) => ReadRow;
};

/**
 * The rows of a CSV file with a header, one at a time, under the names that `--columns` gives the columns, or that
 * `usual` knows. Lines that are no records are refused one by one. Throws `LabelFileError` where it is no such file.
 */
export async function* readCsv(
  file: LabelFile,
  { needed, usual = {}, toRow }: CsvList,
): AsyncGenerator<ReadRow> {
  const { columns = {} } = file.options;
  const renamed = new Map(Object.entries(columns).map(([ours, theirs]) => [theirs, ours]));
  const nameColumns = (header: readonly string[]): string[] => {
    const theirs = header.map((name) => renamed.get(name) ?? name.trim().toLowerCase());
    // Never a second column of the same name: the list's own word for it wins.
    return theirs.map((name) => (theirs.includes(usual[name] ?? name) ? name : (usual[name] ?? name)));
  };
  const refuse = (problem: string): Error => new LabelFileError(file.path, problem);
  for await (const read of readRecords(file.open(), { nameColumns, needed, refuse }))
    yield 'unreadable' in read
      ? { refusal: { at: read.at, address: '', code: 'unreadable', reason: read.unreadable } }
      : toRow(read);
}
