import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

// Parameters travel in the address of a request, which has a limit.
const AT_ONCE = 500;

/** Hides the rows with these sequences from every query, also rows that are still to come. Harmless to repeat. */
export const hideRetracted = async (client: WarehouseClient, sequences: readonly number[]): Promise<void> => {
  for (let start = 0; start < sequences.length; start += AT_ONCE) {
    await client.command({
      query: 'INSERT INTO retracted SELECT arrayJoin({sequences:Array(UInt64)})',
      query_params: { sequences: sequences.slice(start, start + AT_ONCE) },
    });
  }
};
