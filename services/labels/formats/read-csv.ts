import { type CsvRecord, readCsv as readRecords } from '../../platform/read-csv.ts';
import { showable } from '../../platform/showable.ts';
import { type LabelFile, LabelFileError, type ReadRow } from './label-format.ts';

export type CsvList = {
  readonly needed: readonly string[];
  /** Other lists' names for our columns. */
  readonly usual?: ReadonlyMap<string, string>;
  readonly toRow: (record: CsvRecord) => ReadRow;
};

/**
 * The rows of a CSV file with a header, one at a time. Columns are named by `--columns`, or by `usual`. Invalid
 * lines are refused one by one. Throws `LabelFileError` if it is no such file, or if two columns mean the same.
 */
export async function* readCsv(
  file: LabelFile,
  { needed, usual = new Map(), toRow }: CsvList,
): AsyncGenerator<ReadRow> {
  const refuse = (problem: string): Error => new LabelFileError(file.path, problem);
  const nameColumns = (header: readonly string[]): string[] => {
    const names = nameOf(header, file.options.columns ?? {}, usual);
    for (const name of new Set([...needed, ...usual.values()])) {
      const [first, second] = header.filter((_, at) => names[at] === name).map(showable);
      if (second !== undefined)
        throw refuse(
          `has two columns that mean ${name}, ${first} and ${second}: say which with --columns ${name}=…`,
        );
    }
    return names;
  };
  for await (const read of readRecords(file.open(), { nameColumns, needed, refuse }))
    yield 'unreadable' in read
      ? { refusal: { where: read.where, address: '', code: 'unreadable', reason: read.unreadable } }
      : toRow(read);
}

/** Our names for the columns: from the command line, else from the list's own words, else the usual ones. */
const nameOf = (
  header: readonly string[],
  columns: Readonly<Record<string, string>>,
  usual: ReadonlyMap<string, string>,
): string[] => {
  const renamed = new Map(Object.entries(columns).map(([ours, theirs]) => [theirs, ours]));
  const said = new Set(header.map((name) => renamed.get(name)));
  const words = header.map((name) => name.trim().toLowerCase());
  return header.map((column, at) => {
    const word = words[at] ?? '';
    const meant = usual.get(word) ?? word;
    const name = words.includes(meant) ? word : meant;
    return renamed.get(column) ?? (said.has(name) ? `other ${name}` : name);
  });
};
