import type { Holders, TokenReader } from '../../../investigate/model/token-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../clauses/visible-rows.ts';
import { askTables } from '../ask-tables.ts';

/**
 * Every row of the token since it was first seen, of which one column is looked through. Sums wrap at 256 bits, as only a
 * contract's lies can make them; a balance below nothing is left out.
 */
const QUERY = `
SELECT holder, toString(balance), toString(sum(balance) OVER ()), count() OVER ()
FROM
(
  SELECT side.1 AS holder, sum(if(side.2, 1, -1) * toInt256(amount)) AS balance
  FROM transfers
  ARRAY JOIN [(from_address, false), (to_address, true)] AS side
  WHERE chain = {chain:String} AND block_number >= {from:UInt64} AND asset_family = {token:String}
    AND side.1 != '' AND ${VISIBLE_ROWS}
  GROUP BY holder
  HAVING balance > 0
)
ORDER BY balance DESC, holder
LIMIT {limit:UInt32}`;

type Row = readonly [holder: string, balance: string, supply: string, holders: string];

/** One query, the blocks since the token was first seen. */
export const readHolders = async (
  client: WarehouseClient,
  { chain, token, fromBlock, limit, ...limits }: Parameters<TokenReader['holders']>[0],
): Promise<Holders> => {
  const params = { chain, token, from: fromBlock, limit };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return {
    supplyRaw: BigInt(rows[0]?.[2] ?? 0),
    holders: Number(rows[0]?.[3] ?? 0),
    top: rows.map(([address, balance]) => ({ address, amountRaw: BigInt(balance) })),
  };
};
