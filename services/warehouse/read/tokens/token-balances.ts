import type { TokenReader } from '../../../investigate/model/token-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { exactSum, toExactSum, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

const QUERY = `
SELECT address, ${exactSum("direction = 'in'")}, ${exactSum("direction = 'out'")}
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction IN ('in', 'out')
  AND asset_family = {token:String} AND ${VISIBLE_ROWS}
GROUP BY address`;

type Row = readonly [wallet: string, inSum: string, inUpper: string, outSum: string, outUpper: string];

/** One query, two ranges of the key for each wallet. */
export const readTokenBalances = async (
  client: WarehouseClient,
  { chain, token, wallets, ...limits }: Parameters<TokenReader['balances']>[0],
): Promise<ReadonlyMap<string, bigint>> => {
  if (wallets.length === 0) return new Map();
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, token, wallets } }, limits);
  return new Map(
    rows.map(([wallet, inSum, inUpper, outSum, outUpper]) => [
      wallet,
      toExactSum(inSum, inUpper) - toExactSum(outSum, outUpper),
    ]),
  );
};
