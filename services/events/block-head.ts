import avsc from 'avsc';
import { loadSchema } from '../platform/avro/schemas.ts';
import { splitRecord } from '../platform/avro/wire-format.ts';

/** What the sink needs to know of a record; the rest stays encoded on its way into the engine. */
export type BlockHead = {
  readonly chain: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly part: number;
  readonly parts: number;
};

type HeadColumns = { chain: string; block_number: number; block_hash: string; part: number; parts: number };

const HEAD_FIELDS = 5;
const schema = loadSchema('BlockTransfers');
const { fields } = JSON.parse(schema.json) as { fields: { name: string; type: unknown }[] };
// A record's fields are encoded one after the other, so its first fields are a record of their own.
const headType = avsc.Type.forSchema({
  type: 'record',
  name: 'BlockTransfersHead',
  fields: fields.slice(0, HEAD_FIELDS),
} as avsc.Schema);

/** Reads the first fields of a BlockTransfers body without touching its arrays; null when they cannot be read. */
export const readHead = (body: Buffer): BlockHead | null => {
  // Reads past the end are how avsc tells a truncated value: it throws or gives a negative offset.
  try {
    const { value, offset } = headType.decode(body, 0) as { value: HeadColumns | undefined; offset: number };
    if (!value || offset < 0) return null;
    return {
      chain: value.chain,
      blockNumber: value.block_number,
      blockHash: value.block_hash,
      part: value.part,
      parts: value.parts,
    };
  } catch {
    return null;
  }
};

const GROUPS = ['tx_', 'm_', 's_', 'asset'];
// A count of rows for each transaction, and a column of those rows.
const COUNTS = [
  ['tx_movements', 'm_index'],
  ['tx_swaps', 's_index'],
] as const;

/**
 * Why the engine would refuse this record: null when it is whole and all columns of a group have the same length.
 * Decodes everything, so it is asked only after an insert was refused.
 */
export const whyUnreadable = (value: Buffer): string | null => {
  let columns: Record<string, unknown>;
  try {
    columns = schema.type.fromBuffer(splitRecord(value).body) as Record<string, unknown>;
  } catch (error) {
    return `not a BlockTransfers record: ${error instanceof Error ? error.message : String(error)}`;
  }
  for (const group of GROUPS) {
    const lengths = Object.entries(columns)
      .filter(([name, value]) => name.startsWith(group) && Array.isArray(value))
      .map(([, value]) => (value as unknown[]).length);
    if (new Set(lengths).size > 1) return `columns ${group}* have different lengths: ${lengths.join(', ')}`;
  }
  for (const [counts, rows] of COUNTS) {
    const counted = (columns[counts] as number[]).reduce((sum, count) => sum + count, 0);
    const found = (columns[rows] as unknown[]).length;
    if (counted !== found) return `${counts} count ${counted} rows, but there are ${found}`;
  }
  return null;
};
