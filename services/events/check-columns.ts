import { BRIDGE_SIDES } from '../investigate/model/bridge-transfer.ts';
import { CONTROL_COVERAGES, CONTROL_KINDS } from '../investigate/model/control-event.ts';
import { MOVEMENT_KINDS } from '../investigate/model/movement.ts';
import { loadSchema } from '../platform/avro/schemas.ts';

type FieldType = string | { readonly items: string };
type Field = { readonly name: string; readonly type: FieldType };

const { fields } = JSON.parse(loadSchema('BlockTransfers').json) as { fields: readonly Field[] };

const TORN = 'it ends in the middle of a value';
// The longest encoding of a 64-bit integer.
const INTEGER_BYTES_MAX = 10;
/** For an `int`: the engine refuses a file with a larger one. */
const [INT_MIN, INT_MAX] = [-(2 ** 31), 2 ** 31 - 1];

class MalformedError extends Error {}

/** Walks over an Avro body without decoding values. */
class Walker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get at(): number {
    return this.#at;
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Exact up to 2^53, which is all that is compared here. */
  integer(): number {
    const first = this.#bytes[this.#at];
    // The common case: one byte.
    if (first !== undefined && first < 128) {
      this.#at++;
      return first & 1 ? -(first >> 1) - 1 : first >> 1;
    }
    let value = 0;
    let factor = 1;
    for (let count = 1; ; count++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new MalformedError(TORN);
      if (count > INTEGER_BYTES_MAX) throw new MalformedError('an integer is longer than 64 bits');
      value += (byte & 127) * factor;
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      factor *= 128;
    }
  }

  skipBytes(): number {
    const length = this.integer();
    if (length < 0 || length > this.#bytes.length - this.#at) throw new MalformedError(TORN);
    this.#at += length;
    return length;
  }

  /** The number of items. Each takes a byte at least, so the record's length bounds the work. */
  array(item: () => void): number {
    let items = 0;
    for (;;) {
      let count = this.integer();
      if (count === 0) return items;
      if (count < 0) {
        count = -count;
        this.integer();
      }
      if (count > this.#bytes.length - this.#at) throw new MalformedError(TORN);
      items += count;
      for (let i = 0; i < count; i++) item();
    }
  }
}

type Column = {
  readonly start: number;
  readonly length: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
};

const walkColumn = (walker: Walker, items: string): Column => {
  const start = walker.at;
  let min = 0;
  let max = 0;
  let sum = 0;
  const item =
    items === 'int'
      ? () => {
          const value = walker.integer();
          if (value < min) min = value;
          if (value > max) max = value;
          sum += value;
        }
      : () => {
          const length = walker.skipBytes();
          if (length > max) max = length;
        };
  return { start, length: walker.array(item), min, max, sum };
};

const fits = (value: number): boolean => value >= INT_MIN && value <= INT_MAX;

const mustFit = (name: string, value: number): void => {
  if (!fits(value)) throw new MalformedError(`${name} is longer than 32 bits`);
};

/** Unix seconds as the tables keep them: unsigned 32 bits. Larger ones would wrap. */
const mustBeSeconds = (value: number): void => {
  if (value < 0 || value >= 2 ** 32)
    throw new MalformedError(`block_time ${value} is not a time in seconds before the year 2106`);
};

const walkColumns = (body: Buffer): Map<string, Column> => {
  const walker = new Walker(body);
  const columns = new Map<string, Column>();
  for (const { name, type } of fields) {
    if (typeof type === 'object') columns.set(name, walkColumn(walker, type.items));
    else if (type === 'int') mustFit(name, walker.integer());
    else if (name === 'block_time') mustBeSeconds(walker.integer());
    else if (type === 'long') walker.integer();
    else walker.skipBytes();
  }
  if (!walker.isAtEnd()) throw new MalformedError('there are bytes after its end');
  return columns;
};

const GROUPS = ['tx_', 'm_', 's_', 'asset', 'b_', 'c_'];
/** A column that may be empty whatever its group's length. */
const OPTIONAL = 'tx_controls';
// A count of rows per transaction, and a column of those rows.
const COUNTS = [
  ['tx_movements', 'm_index'],
  ['tx_swaps', 's_index'],
  ['tx_controls', 'c_index'],
] as const;
const AMOUNTS = ['m_amount', 's_gave_amount', 's_got_amount', 'b_amount', 'c_amount'];
// Columns of positions in a fixed list.
const LISTS = [
  ['m_kind', MOVEMENT_KINDS.length, 'a kind'],
  ['b_side', BRIDGE_SIDES.length, 'a side'],
  ['c_kind', CONTROL_KINDS.length, 'a kind'],
  ['keeps_control', CONTROL_COVERAGES.length, 'a coverage'],
] as const;
const AMOUNT_BYTES_MAX = 32;
const NO_ROWS: Column = { start: 0, length: 0, min: 0, max: 0, sum: 0 };

export type CheckedBody =
  | { readonly refused: string }
  | {
      readonly refused: null;
      readonly movements: number;
      /** The bytes before the first column, and the columns of bridges; null if those are empty. */
      readonly bridges: Buffer | null;
      /** The bytes before the movements' columns, and the columns of control events; null if there are none. */
      readonly control: Buffer | null;
      /** Position in `CONTROL_COVERAGES`. */
      readonly keepsControl: number;
    };

/**
 * Whether the tables can take the body of a `BlockTransfers` record, or why not. The engine would refuse the whole
 * batch after some tables had stored it, so every record is checked first. This walks over lengths and decodes
 * nothing.
 */
export const checkColumns = (body: Buffer): CheckedBody => {
  let columns: Map<string, Column>;
  try {
    columns = walkColumns(body);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return { refused: `not a BlockTransfers record: ${error.message}` };
  }
  const column = (name: string): Column => columns.get(name) ?? NO_ROWS;
  const refused = whyRefused(columns, column);
  if (refused !== null) return { refused };
  const [bridges, control] = [column('b_tx_index'), column('keeps_control')];
  const cut = (headEnd: string, start: number, end: number): Buffer =>
    Buffer.concat([body.subarray(0, column(headEnd).start), body.subarray(start, end)]);
  return {
    refused: null,
    movements: column('m_index').length,
    bridges: bridges.length === 0 ? null : cut('tx_index', bridges.start, control.start),
    control: control.length === 0 ? null : cut('m_index', control.start, body.length),
    keepsControl: control.max,
  };
};

const whyRefused = (
  columns: ReadonlyMap<string, Column>,
  column: (name: string) => Column,
): string | null => {
  for (const group of GROUPS) {
    const lengths = [...columns]
      .filter(([name, { length }]) => name.startsWith(group) && !(name === OPTIONAL && length === 0))
      .map(([, { length }]) => length);
    if (new Set(lengths).size > 1) return `columns ${group}* have different lengths: ${lengths.join(', ')}`;
  }
  const beyond = [...columns].find(([, { min, max }]) => !fits(min) || !fits(max));
  if (beyond) return `${beyond[0]} has a number of more than 32 bits`;
  for (const [counts, rows] of COUNTS) {
    const { min, sum } = column(counts);
    const found = column(rows).length;
    if (min < 0) return `${counts} has a negative count`;
    if (sum !== found) return `${counts} count ${sum} rows, but there are ${found}`;
  }
  for (const [name, length, word] of LISTS) {
    const { min, max } = column(name);
    if (min < 0 || max >= length) return `${name} has ${word} that nobody knows`;
  }
  const wide = AMOUNTS.find((name) => column(name).max > AMOUNT_BYTES_MAX);
  return wide === undefined ? null : `${wide} has an amount of more than 256 bits`;
};
