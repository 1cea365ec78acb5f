import type { PlacedMovement } from '../../../investigate/model/case-reader.ts';
import type { TokenReader } from '../../../investigate/model/token-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { MOVEMENT_COLUMNS, type MovementRow, toMovement } from '../transactions/movement-rows.ts';

/** Time is not part of the key. The last block of a time is looked up in an index and limits the range. */
const QUERY = `
SELECT ${MOVEMENT_COLUMNS}
FROM transfers
WHERE chain = {chain:String} AND block_number >= {from:UInt64}
  AND block_number <= (
    SELECT max(number) FROM blocks
    WHERE chain = {chain:String} AND number >= {from:UInt64} AND time <= toDateTime({to:UInt32}, 'UTC'))
  AND asset_family = {token:String} AND ${VISIBLE_ROWS}
ORDER BY block_number, tx_index, index
LIMIT {limit:UInt32}`;

/** The token's rows, earliest first. One query, a range of blocks. */
export const readTokenMovements = async (
  client: WarehouseClient,
  { chain, token, fromBlock, toUnixSeconds, limit, ...limits }: Parameters<TokenReader['tokenMovements']>[0],
): Promise<readonly PlacedMovement[]> => {
  const params = { chain, token, from: fromBlock, to: toUnixSeconds, limit };
  const rows = await askTables<MovementRow>(client, { query: QUERY, params }, limits);
  return rows.map(toMovement);
};
