import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

// Parameters travel in the URL of a request, which has a size limit.
const AT_ONCE = 500;

/**
 * Hides the rows with these sequences from every query, including rows that are inserted later. Idempotent.
 */
export const hideRetracted = async (client: WarehouseClient, sequences: readonly number[]): Promise<void> => {
  for (let start = 0; start < sequences.length; start += AT_ONCE) {
    await client.command({
      query: 'INSERT INTO retracted SELECT arrayJoin({sequences:Array(UInt64)})',
      query_params: { sequences: sequences.slice(start, start + AT_ONCE) },
    });
  }
};
