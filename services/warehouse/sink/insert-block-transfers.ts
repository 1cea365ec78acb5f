import { readFileSync } from 'node:fs';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';

/** An event for the engine: its sequence, and its Avro body as stored in the log, without the wire header. */
export type SequencedRecord = {
  readonly sequence: number;
  readonly avro: Buffer;
  /** Bridge transfers as `checkColumns` extracts them; absent or null when there are none. */
  readonly bridges?: Buffer | null;
  /** Its control events, likewise. */
  readonly control?: Buffer | null;
};

type Inserting = Pick<Warehouse, 'insertBody'>;

export type InsertRequest = {
  readonly records: readonly SequencedRecord[];
  /** The same token with the same records changes nothing the second time. */
  readonly token: string;
};

/**
 * Inserts one batch of `BlockTransfers` events into every table. The records are not decoded: the engine
 * reads their bytes from the log.
 */
export async function insertBlockTransfers(
  warehouse: Inserting,
  { records, token }: InsertRequest,
): Promise<void> {
  if (records.length === 0) return;
  // Before the blocks. After a crash in between, repeating the batch completes it, and no block was visible
  // without them.
  const bridges = records.flatMap(({ sequence, bridges: avro }) => (avro ? [{ sequence, avro }] : []));
  if (bridges.length > 0) await insert(warehouse, BRIDGES, bridges, `${token}-bridges`);
  const control = records.flatMap(({ sequence, control: avro }) => (avro ? [{ sequence, avro }] : []));
  if (control.length > 0) await insert(warehouse, CONTROL, control, `${token}-control`);
  await insert(warehouse, BLOCKS, records, token);
}

async function insert(
  warehouse: Inserting,
  { table, header }: Target,
  records: readonly Encoded[],
  token: string,
): Promise<void> {
  await warehouse.insertBody({
    table,
    format: 'Avro',
    body: containerOf(header, records),
    settings: { ...BATCH_SETTINGS, insert_deduplication_token: token },
  });
}

type Target = { readonly table: string; readonly header: Buffer };
type Encoded = Pick<SequencedRecord, 'sequence' | 'avro'>;

/**
 * Deduplication by token works for each block of rows that reaches a table. So these settings must not change
 * between an insert and its repetition, and a block of rows is as large as a batch can be. `max_block_size`
 * stays at its default, because it also splits the result of ARRAY JOIN.
 */
export const BATCH_SETTINGS = {
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  max_insert_threads: '1',
  // Runs the views in parallel, which saves a quarter of the time. Each still gets the batch as one block
  // from one reader of the file.
  max_threads: 2,
  parallel_view_processing: 1,
  min_insert_block_size_rows: '10000000',
  min_insert_block_size_bytes: '2000000000',
  max_insert_block_size: '10000000',
} as const;

const MAGIC = Buffer.from('Obj\u0001', 'latin1');
// Any sixteen bytes mark the end of a block. Constant, so that a repeated batch is identical.
const SYNC = Buffer.from('spoor.BlockTrans', 'latin1');
type Field = { readonly name: string; readonly type: string | object };
const EVENT = JSON.parse(
  readFileSync(new URL('../../../schemas/avro/BlockTransfers.avsc', import.meta.url), 'utf8'),
) as { fields: Field[] };
const BLOCKS: Target = { table: 'block_transfers_in', header: headerOf(EVENT.fields) };
const BRIDGES: Target = { table: 'bridge_columns_in', header: headerOf(fieldsOf('b_')) };
const CONTROL: Target = {
  table: 'control_columns_in',
  header: headerOf(fieldsOf('tx_', 'keeps_control', 'c_')),
};

/** Fields that occur once in a record, and the prefixes of their columns. */
function fieldsOf(...beginnings: readonly string[]): Field[] {
  return EVENT.fields.filter(
    ({ name, type }) =>
      typeof type === 'string' || beginnings.some((beginning) => name.startsWith(beginning)),
  );
}

/** An Avro file of one block: the event's sequence, then its fields. */
function containerOf(header: Buffer, records: readonly Encoded[]): Buffer[] {
  const bodies = records.flatMap(({ sequence, avro }) => [encodeLong(sequence), avro]);
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  return [header, encodeLong(records.length), encodeLong(bytes), ...bodies, SYNC];
}

function headerOf(fields: readonly Field[]): Buffer {
  const sequence = { name: 'sequence', type: 'long' };
  const schema = { ...EVENT, name: 'SequencedBlockTransfers', fields: [sequence, ...fields] };
  const entries = [
    ['avro.schema', JSON.stringify(schema)],
    ['avro.codec', 'null'],
  ] as const;
  const metadata = entries.flatMap(([key, value]) => [encodeBytes(key), encodeBytes(value)]);
  return Buffer.concat([MAGIC, encodeLong(entries.length), ...metadata, encodeLong(0), SYNC]);
}

function encodeBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([encodeLong(bytes.length), bytes]);
}

/** Avro's long: zig-zag, seven bits a byte. Exact for safe integers. */
function encodeLong(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value) >= 0n ? BigInt(value) * 2n : -BigInt(value) * 2n - 1n;
  while (rest >= 128n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
