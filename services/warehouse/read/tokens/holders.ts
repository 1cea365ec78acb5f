import type { Holders, TokenSince } from '../../../investigate/model/token-reader.ts';
import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { signedSum, toSignedSum, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/**
 * Beyond this many bytes holders are summed on disk: a stablecoin has more than a query may keep in memory.
 */
const IN_MEMORY = { max_bytes_before_external_group_by: String(64 << 20) } as const;

/** Every row of the token since it was first seen. Only the largest holders are kept. */
const QUERY = `
SELECT toString(sum(balance.1)), toString(sum(balance.2)), count(),
  arrayMap(each -> (each.3, toString(-each.1), toString(-each.2)),
    groupArraySorted({limit:UInt32})((-balance.1, -balance.2, holder)))
FROM
(
  SELECT side.1 AS holder, ${signedSum('if(side.2, 1, -1)')} AS balance
  FROM transfers
  ARRAY JOIN [(from_address, false), (to_address, true)] AS side
  WHERE chain = {chain:String} AND block_number >= {from:UInt64} AND asset_family = {token:String}
    AND side.1 != '' AND ${VISIBLE_ROWS}
  GROUP BY holder
  HAVING balance.1 > 0 OR (balance.1 = 0 AND balance.2 > 0)
)`;

type Row = readonly [
  upper: string,
  lower: string,
  holders: string,
  top: readonly (readonly [holder: string, upper: string, lower: string])[],
];

/** One query for each token, over the blocks since it was first seen. */
export const readHolders = (
  client: WarehouseClient,
  common: OnChain & { readonly limit: number },
  tokens: readonly TokenSince[],
  limits: ReadLimits,
): Promise<readonly Holders[]> =>
  Promise.all(
    tokens.map(async ({ token, fromBlock: from }) => {
      const question = { query: QUERY, params: { ...common, token, from }, settings: IN_MEMORY };
      const [row] = await askTables<Row>(client, question, limits);
      const [upper, lower, holders, top] = row ?? ['0', '0', '0', []];
      return {
        supplyRaw: toSignedSum(upper, lower),
        holders: Number(holders),
        top: top.map(([address, ...parts]) => ({ address, amountRaw: toSignedSum(...parts) })),
      };
    }),
  );
