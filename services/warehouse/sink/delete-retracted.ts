import { SEQUENCE_SLOTS } from '../../events/event-sequence.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { OWN_DATABASES } from '../sql-clauses.ts';
import type { SlotEnd } from './store-batch.ts';

/** A search for them reads every part of every table, so it waits for many events. */
export const DELETED_AT_ONCE = 1_000;
/** Size of a statement's text, which may have 256 KiB. */
export const DELETED_AT_MOST = 10_000;

const FULL_SET = `
SELECT groupArray(sequence) FROM
(
    SELECT DISTINCT sequence FROM retracted
    WHERE sequence < transform(sequence % {slots:UInt64}, {lanes:Array(UInt64)}, {ends:Array(UInt64)}, 0)
    ORDER BY sequence LIMIT {atMost:UInt64}
)`;

const TABLES = `
SELECT groupArray(DISTINCT table) FROM system.columns
WHERE ${OWN_DATABASES} AND name = 'sequence' AND table != 'retracted' AND table IN (
    SELECT name FROM system.tables WHERE ${OWN_DATABASES} AND engine LIKE '%MergeTree')`;

/**
 * Deletes the rows of retracted events below the ends of their partitions, the oldest ten thousand, once
 * `atOnce` have accumulated. Returns how many events these were. Above an end an insert could be repeated,
 * and its rows would reappear. The set is shortened last, so that after a crash the rows are hidden or
 * deleted, never visible. The deletion is announced first, because a process that copies rows checks there
 * for rows that it restored.
 */
export const deleteRetracted = async (
  client: WarehouseClient,
  { ends, atOnce = DELETED_AT_ONCE }: { ends: readonly SlotEnd[]; atOnce?: number },
): Promise<number> => {
  const lanes = { lanes: ends.map(({ slot }) => slot), ends: ends.map(({ end }) => end) };
  const params = { slots: SEQUENCE_SLOTS, atMost: DELETED_AT_MOST, ...lanes };
  const [[sequences] = [[]]] = await askRows<[string[]]>(client, FULL_SET, params);
  if (sequences.length < atOnce) return 0;
  await client.command({
    query: `INSERT INTO deleted_events (event) SELECT arrayJoin([${sequences.join()}])`,
  });
  const [[tables] = [[]]] = await askRows<[string[]]>(client, TABLES);
  for (const table of [...tables, 'retracted']) {
    await client.command({
      query: `DELETE FROM {table:Identifier} WHERE sequence IN (${sequences.join()})`,
      query_params: { table },
    });
  }
  return sequences.length;
};
