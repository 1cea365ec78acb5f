import { MOVEMENT_KINDS } from '../investigate/model/movement.ts';
import { loadSchema } from '../platform/avro/schemas.ts';

type FieldType = string | { readonly items: string };
type Field = { readonly name: string; readonly type: FieldType };

const { fields } = JSON.parse(loadSchema('BlockTransfers').json) as { fields: readonly Field[] };

const TORN = 'it ends in the middle of a value';
// A 64-bit integer takes at most so many bytes.
const INTEGER_BYTES_MAX = 10;

class MalformedError extends Error {}

/** Goes over an Avro body without making values of it. */
class Walker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Exact up to 2^53, which is all that is compared here. */
  integer(): number {
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

  /** The number of items. Each takes at least one byte, so no count can keep this busy for longer than the record is. */
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

type Column = { readonly length: number; readonly min: number; readonly max: number; readonly sum: number };

const walkColumn = (walker: Walker, items: string): Column => {
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
  return { length: walker.array(item), min, max, sum };
};

const walkColumns = (body: Buffer): Map<string, Column> => {
  const walker = new Walker(body);
  const columns = new Map<string, Column>();
  for (const { name, type } of fields) {
    if (typeof type === 'object') columns.set(name, walkColumn(walker, type.items));
    else if (type === 'int' || type === 'long') walker.integer();
    else walker.skipBytes();
  }
  if (!walker.isAtEnd()) throw new MalformedError('there are bytes behind its end');
  return columns;
};

const GROUPS = ['tx_', 'm_', 's_', 'asset'];
// A count of rows for each transaction, and a column of those rows.
const COUNTS = [
  ['tx_movements', 'm_index'],
  ['tx_swaps', 's_index'],
] as const;
const AMOUNTS = ['m_amount', 's_gave_amount', 's_got_amount'];
const AMOUNT_BYTES_MAX = 32;
const NO_ROWS: Column = { length: 0, min: 0, max: 0, sum: 0 };

/**
 * Why the tables cannot take the body of a `BlockTransfers` record; null where they can. The engine would refuse the
 * whole batch, and some of its tables would have taken it by then, so this is asked of every record before: it costs
 * a pass over the lengths, not a decoding.
 */
export const whyUnreadable = (body: Buffer): string | null => {
  let columns: Map<string, Column>;
  try {
    columns = walkColumns(body);
  } catch (error) {
    if (error instanceof MalformedError) return `not a BlockTransfers record: ${error.message}`;
    throw error;
  }
  const column = (name: string): Column => columns.get(name) ?? NO_ROWS;
  for (const group of GROUPS) {
    const lengths = [...columns].filter(([name]) => name.startsWith(group)).map(([, { length }]) => length);
    if (new Set(lengths).size > 1) return `columns ${group}* have different lengths: ${lengths.join(', ')}`;
  }
  for (const [counts, rows] of COUNTS) {
    const { min, sum } = column(counts);
    const found = column(rows).length;
    if (min < 0) return `${counts} has a negative count`;
    if (sum !== found) return `${counts} count ${sum} rows, but there are ${found}`;
  }
  const kinds = column('m_kind');
  if (kinds.min < 0 || kinds.max >= MOVEMENT_KINDS.length) return 'm_kind has a kind that nobody knows';
  const wide = AMOUNTS.find((name) => column(name).max > AMOUNT_BYTES_MAX);
  return wide === undefined ? null : `${wide} has an amount of more than 256 bits`;
};
