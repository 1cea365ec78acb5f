import type { Funding } from '../../../investigate/model/profile-reader.ts';
import type { WalletRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { handOvers } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

/** The beginning of one range of the key. */
const QUERY = `
SELECT toUnixTimestamp(block_time), block_number, tx_index, counterparty, amount
FROM account_entries
WHERE ${handOvers('in')} AND asset_family = 'native'
ORDER BY block_time, block_number, tx_index, index
LIMIT 1`;

type Row = readonly [time: number, block: string, tx: number, funder: string, amount: string];

/** Who first sent the wallet the chain's coin, wrapped or not. One query. */
export const readFirstFunding = async (
  client: WarehouseClient,
  { chain, wallet, ...limits }: WalletRequest,
): Promise<Funding | null> => {
  const [row] = await askTables<Row>(client, { query: QUERY, params: { chain, wallet } }, limits);
  if (row === undefined) return null;
  const [time, block, tx, funder, amount] = row;
  return { ...toPosition(time, block, tx), funder, amountRaw: BigInt(amount) };
};
