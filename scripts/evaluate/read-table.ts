import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, parseAddress } from '../../services/investigate/model/address.ts';
import { type Chain, findChain } from '../../services/investigate/model/chain.ts';
import { openPacked } from '../../services/platform/open-packed.ts';
import { type CsvRecord, readCsv } from '../../services/platform/read-csv.ts';

/** Which file, and which place in it, cannot be evaluated. */
export class BadInputError extends Error {
  readonly code = 'bad_input';
  constructor(at: string, problem: string) {
    super(`${at}: ${problem}`);
    this.name = 'BadInputError';
  }
}

/** A row with typed cells. Each reader throws `BadInputError` with file, line and column for a wrong cell. */
export type TableRow = {
  readonly text: (column: string) => string;
  /** A transaction, message or address in its own form; hex digits in lower case. */
  readonly key: (column: string) => string;
  /** null if the cell is empty or the column is missing. */
  readonly ifTold: <T>(column: string, read: (column: string) => T) => T | null;
  readonly word: <Word extends string>(column: string, words: readonly Word[]) => Word;
  /** 0 or more, at most `most`. */
  readonly whole: (column: string, most?: number) => number;
  readonly raw: (column: string) => bigint;
  /** 0 or more. */
  readonly decimal: (column: string) => number;
  readonly chain: (column: string) => Chain;
  /** In the tables' form. */
  readonly address: (column: string, chain: Chain) => Address;
  readonly refuse: (column: string, problem: string) => never;
};

/** The last second that tables can hold. */
export const TIME_MAX = 4_294_967_295;

/** `NAME.csv` of a folder, packed or not. */
export const tableIn = (folder: string, name: string): string => {
  const plain = join(folder, `${name}.csv`);
  return existsSync(plain) ? plain : `${plain}.gz`;
};

/**
 * All rows of a CSV file with a header, packed or not, at least one. Throws `BadInputError`,
 * `FileUnreadableError`. Invalid lines throw, too, unless `onRefused` is given.
 */
export const readTable = async (
  path: string,
  columns: readonly string[],
  onRefused: (error: BadInputError) => void = (error) => {
    throw error;
  },
): Promise<readonly TableRow[]> => {
  const rows: TableRow[] = [];
  const form = {
    nameColumns: (header: readonly string[]) => header.map((name) => name.trim()),
    needed: columns,
    refuse: (problem: string) => new BadInputError(path, problem),
  };
  for await (const read of readCsv(openPacked(path), form)) {
    const at = `${path}, ${read.where}`;
    if ('unreadable' in read) onRefused(new BadInputError(at, read.unreadable));
    else rows.push(toRow(at, read.cell));
  }
  if (rows.length === 0) throw new BadInputError(path, 'has no rows');
  return rows;
};

const WHOLE = /^\d+$/;
const DECIMAL = /^\d+(\.\d+)?(e[-+]?\d+)?$/i;
const HEX = /^0x[0-9a-f]+$/i;

const toRow = (at: string, cell: CsvRecord['cell']): TableRow => {
  const refuse = (column: string, problem: string): never => {
    throw new BadInputError(`${at}, column ${column}`, problem);
  };
  const text = (column: string): string => cell(column) || refuse(column, 'is empty');
  const checked = (column: string, form: RegExp, what: string): string => {
    const told = text(column);
    return form.test(told) ? told : refuse(column, `${told} is no ${what}`);
  };
  const whole = (column: string, most = Number.MAX_SAFE_INTEGER): number => {
    const number = Number(checked(column, WHOLE, 'whole number'));
    return number <= most ? number : refuse(column, `${number} is above ${most}`);
  };
  return {
    text,
    refuse,
    whole,
    key: (column) => (HEX.test(text(column)) ? text(column).toLowerCase() : text(column)),
    ifTold: (column, read) => (cell(column) === '' ? null : read(column)),
    word: (column, words) =>
      words.find((word) => word === text(column).toLowerCase()) ??
      refuse(column, `${text(column)} is none of ${words.join(', ')}`),
    raw: (column) => BigInt(checked(column, WHOLE, 'whole number')),
    decimal: (column) => {
      const number = Number(checked(column, DECIMAL, 'number of 0 or more'));
      return Number.isFinite(number)
        ? number
        : refuse(column, `${text(column)} is above ${Number.MAX_VALUE}`);
    },
    chain: (column) =>
      findChain(text(column)) ?? refuse(column, `${text(column)} is no chain that is served`),
    address: (column, chain) => {
      const parsed = parseAddress(chain, text(column));
      return parsed.ok ? parsed.address : refuse(column, `${text(column)} ${parsed.message}`);
    },
  };
};
