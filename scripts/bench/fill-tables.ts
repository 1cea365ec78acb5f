import { type BulkOptions, bulkBlocks } from '../../services/demo-world/bulk-transfers.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { splitRecord } from '../../services/platform/avro/wire-format.ts';
import {
  insertBlockTransfers,
  type SequencedRecord,
} from '../../services/warehouse/sink/insert-block-transfers.ts';
import { type BenchStore, say, secondsOf } from './bench-store.ts';

const BATCH_TRANSFERS = 200_000;

type Filling = {
  readonly bulk: BulkOptions;
  readonly asked: readonly string[];
  /** Called after the last block. */
  readonly after?: (last: DecodedBlock) => Iterable<DecodedBlock>;
};

/**
 * Fills tables directly, in batches like a sink's, and merges the `asked` tables as they are an hour later; the
 * log's cost is another benchmark.
 */
export const fillTables = async (
  { store, warehouse }: BenchStore,
  { bulk, asked, after = () => [] }: Filling,
): Promise<void> => {
  const insert = async (records: readonly SequencedRecord[]): Promise<void> => {
    const token = `bench-${records[0]?.sequence}`;
    await insertBlockTransfers(warehouse, { records, token });
  };
  const seconds = await secondsOf(async () => {
    let records: SequencedRecord[] = [];
    let rows = 0;
    for (const block of withMore(bulk, after)) {
      for (const record of store.encodeBlock(block)) {
        records.push({ sequence: block.number, avro: splitRecord(record).body });
      }
      rows += block.movements.length;
      if (rows < BATCH_TRANSFERS) continue;
      await insert(records);
      records = [];
      rows = 0;
    }
    if (records.length > 0) await insert(records);
  });
  say(`filled with ${bulk.transfers} in ${seconds.toFixed(0)} s`);
  await age({ warehouse }, asked);
  const merging = await secondsOf(() => untilMerged({ warehouse }));
  say(`merged in ${merging.toFixed(0)} s, parts: ${await countParts({ warehouse }, asked)}`);
};

function* withMore(bulk: BulkOptions, after: (last: DecodedBlock) => Iterable<DecodedBlock>) {
  let last: DecodedBlock | null = null;
  for (const block of bulkBlocks(bulk)) {
    yield block;
    last = block;
  }
  if (last !== null) yield* after(last);
}

const FILLED = [
  ...['account_entries', 'blocks', 'service_entries', 'swaps', 'transactions', 'transfers'],
  ...['control_blocks', 'control_entries'],
];

/**
 * Brings tables into the state of an hour after the last insert: runs the merges and deletions that would happen
 * by themselves.
 */
const age = async ({ warehouse }: Pick<BenchStore, 'warehouse'>, asked: readonly string[]): Promise<void> => {
  const set = (table: string, setting: string) =>
    warehouse.writer.command({
      query: `ALTER TABLE {table:Identifier} MODIFY SETTING ${setting} = 1`,
      query_params: { table },
    });
  for (const table of FILLED) await set(table, 'old_parts_lifetime');
  for (const table of asked) await set(table, 'min_age_to_force_merge_seconds');
};

/** Waits until merges and the disk are idle. */
const untilMerged = async ({ warehouse }: Pick<BenchStore, 'warehouse'>): Promise<void> => {
  for (let quiet = 0; quiet < 15; ) {
    const answer = await warehouse.writer.query({
      query: `SELECT (SELECT count() FROM system.merges)
        + (SELECT count() FROM system.parts WHERE NOT active AND table IN {filled:Array(String)})`,
      query_params: { filled: FILLED },
      format: 'JSONCompactEachRow',
    });
    const [[running] = ['0']] = await answer.json<[string]>();
    quiet = running === '0' ? quiet + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
};

const countParts = async (
  { warehouse }: Pick<BenchStore, 'warehouse'>,
  tables: readonly string[],
): Promise<string> => {
  const answer = await warehouse.writer.query({
    query:
      'SELECT table, count() FROM system.parts WHERE active AND table IN {tables:Array(String)} GROUP BY table',
    query_params: { tables },
    format: 'JSONCompactEachRow',
  });
  return (await answer.json<[string, string]>()).map(([table, parts]) => `${table} ${parts}`).join(', ');
};
