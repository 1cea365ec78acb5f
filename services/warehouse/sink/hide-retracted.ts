import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

// Parameters travel in the address of a request, which has a limit.
const AT_ONCE = 500;

/** From now on no question sees the rows that carry these sequences, also rows still to come. Harmless to repeat. */
export const hideRetracted = async (client: WarehouseClient, sequences: readonly number[]): Promise<void> => {
  for (let start = 0; start < sequences.length; start += AT_ONCE) {
    await client.command({
      query: 'INSERT INTO retracted SELECT arrayJoin({sequences:Array(UInt64)})',
      query_params: { sequences: sequences.slice(start, start + AT_ONCE) },
    });
  }
};
