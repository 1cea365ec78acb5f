import type { OnChain, ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { eachPart, rowsOfEach } from '../each-part.ts';

const partOf = (place: number): string => `
SELECT 1 FROM account_entries
WHERE chain = {chain:String} AND address = {wallets:Array(String)}[${place}] AND ${VISIBLE_ROWS}
LIMIT 1`;

/** Whether any row names each wallet. One query. */
export const readIsKnown = async (
  client: WarehouseClient,
  { chain }: OnChain,
  wallets: readonly string[],
  limits: ReadLimits,
): Promise<readonly boolean[]> => {
  const question = { query: eachPart(wallets, partOf), params: { chain, wallets } };
  const rows = await askTables<readonly [at: number, one: 1]>(client, question, limits);
  return rowsOfEach(wallets, rows).map((of) => of.length > 0);
};
