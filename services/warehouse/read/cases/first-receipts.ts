import type { OnChain, ReadLimits, TransactionPosition } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

const QUERY = `
SELECT address, min((toUnixTimestamp(block_time), block_number, tx_index))
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction = 'in'
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', address) AND ${VISIBLE_ROWS}
GROUP BY address`;

type Row = readonly [address: string, first: readonly [time: number, block: string, tx: number]];

/** One query, a range of the key for each wallet. */
export const readFirstReceipts = async (
  client: WarehouseClient,
  { chain }: OnChain,
  wallets: readonly string[],
  limits: ReadLimits,
): Promise<readonly (TransactionPosition | null)[]> => {
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain, wallets } }, limits);
  const first = new Map(rows.map(([address, at]) => [address, toPosition(...at)]));
  return wallets.map((wallet) => first.get(wallet) ?? null);
};
