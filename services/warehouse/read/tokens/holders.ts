import type { Holders, TokenReader } from '../../../investigate/model/token-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/**
 * Beyond this many bytes holders are summed on disk: a stablecoin has more than a query may keep in memory.
 */
const IN_MEMORY = { max_bytes_before_external_group_by: String(64 << 20) } as const;

/**
 * Every row of the token since it was first seen. Sums wrap at 256 bits, which only a lying contract can
 * cause; a negative balance is left out. Only the largest holders are kept.
 */
const QUERY = `
SELECT toString(sum(balance)), count(),
  arrayMap(each -> (each.2, toString(-each.1)), groupArraySorted({limit:UInt32})((-balance, holder)))
FROM
(
  SELECT side.1 AS holder, sum(if(side.2, 1, -1) * toInt256(amount)) AS balance
  FROM transfers
  ARRAY JOIN [(from_address, false), (to_address, true)] AS side
  WHERE chain = {chain:String} AND block_number >= {from:UInt64} AND asset_family = {token:String}
    AND side.1 != '' AND ${VISIBLE_ROWS}
  GROUP BY holder
  HAVING balance > 0
)`;

type Row = readonly [
  supply: string,
  holders: string,
  top: readonly (readonly [holder: string, raw: string])[],
];

/** One query over the blocks since the token was first seen. */
export const readHolders = async (
  client: WarehouseClient,
  { chain, token, fromBlock, limit, ...limits }: Parameters<TokenReader['holders']>[0],
): Promise<Holders> => {
  const params = { chain, token, from: fromBlock, limit };
  const question = { query: QUERY, params, settings: IN_MEMORY };
  const [row] = await askTables<Row>(client, question, limits);
  const [supply, holders, top] = row ?? ['0', '0', []];
  return {
    supplyRaw: BigInt(supply),
    holders: Number(holders),
    top: top.map(([address, raw]) => ({ address, amountRaw: BigInt(raw) })),
  };
};
