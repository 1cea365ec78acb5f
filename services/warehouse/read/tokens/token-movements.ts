import type { PlacedMovement } from '../../../investigate/model/case-reader.ts';
import type { TokenSince } from '../../../investigate/model/token-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
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

/** Each token's rows, earliest first. One query for each, a range of blocks. */
export const readTokenMovements = (
  client: WarehouseClient,
  common: OnChain & { readonly limit: number },
  tokens: readonly (TokenSince & { readonly toUnixSeconds: number })[],
  limits: ReadLimits,
): Promise<readonly (readonly PlacedMovement[])[]> =>
  Promise.all(
    tokens.map(async ({ token, fromBlock: from, toUnixSeconds: to }) => {
      const question = { query: QUERY, params: { ...common, token, from, to } };
      return (await askTables<MovementRow>(client, question, limits)).map(toMovement);
    }),
  );
