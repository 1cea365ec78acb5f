import type { CaseReader, PlacedMovement } from '../../../investigate/model/case-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables, READ_AT_ONCE } from '../ask-tables.ts';
import { MOVEMENT_COLUMNS, type MovementRow, toMovement } from '../transactions/movement-rows.ts';
import { PLACES, toPlaces } from '../transactions/places.ts';

const QUERY = `
SELECT ${MOVEMENT_COLUMNS}
FROM transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN ${PLACES} AND ${VISIBLE_ROWS}
ORDER BY block_number, tx_index, index
LIMIT {limit:UInt32}`;

/** Every row of the transactions at those positions. One query, a short range of the key for each. */
export const readMovementsAt = async (
  client: WarehouseClient,
  { chain, positions, limit, ...limits }: Parameters<CaseReader['movementsAt']>[0],
): Promise<readonly PlacedMovement[]> => {
  if (positions.length === 0) return [];
  const params = { chain, ...toPlaces(positions), limit };
  const rows = await askTables<MovementRow>(client, { query: QUERY, params, settings: READ_AT_ONCE }, limits);
  return rows.map(toMovement);
};
