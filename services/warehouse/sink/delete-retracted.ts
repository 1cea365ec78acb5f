import { SEQUENCE_SLOTS } from '../../events/event-sequence.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { OWN_DATABASES } from '../clauses/own-databases.ts';

/** Looking for them passes every part of every table, so it is done for many events at once. */
export const DELETED_AT_ONCE = 1_000;

const FULL_SET = `
SELECT groupArray(sequence) FROM
(
    SELECT DISTINCT sequence FROM retracted WHERE sequence % {slots:UInt64} = {slot:UInt64} ORDER BY sequence LIMIT {atOnce:UInt64}
)`;

const TABLES = `
SELECT groupArray(DISTINCT table) FROM system.columns
WHERE ${OWN_DATABASES} AND name = 'sequence' AND table != 'retracted' AND table IN (
    SELECT name FROM system.tables WHERE ${OWN_DATABASES} AND engine LIKE '%MergeTree')`;

/**
 * Deletes the rows of retracted events of one partition, the oldest `atOnce`, once so many have gathered; gives how many
 * events that were. Only between two batches of that partition: an event whose insert could be repeated would come back
 * and be seen. The set is shortened last, so that a crash on the way leaves rows out of sight or gone, never in sight.
 */
export const deleteRetracted = async (
  client: WarehouseClient,
  { slot, atOnce = DELETED_AT_ONCE }: { slot: number; atOnce?: number },
): Promise<number> => {
  const ask = async <T>(query: string): Promise<T[]> => {
    const answer = await client.query({
      query,
      query_params: { slots: SEQUENCE_SLOTS, slot, atOnce },
      format: 'JSONCompactEachRow',
    });
    const [row] = await answer.json<[T[]]>();
    return row?.[0] ?? [];
  };
  const sequences = await ask<string>(FULL_SET);
  if (sequences.length < atOnce) return 0;
  for (const table of [...(await ask<string>(TABLES)), 'retracted']) {
    await client.command({
      query: `DELETE FROM {table:Identifier} WHERE sequence IN (${sequences.join()})`,
      query_params: { table },
    });
  }
  return sequences.length;
};
