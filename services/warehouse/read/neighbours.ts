import type { Neighbour, NeighboursRequest } from '../../investigate/model/trace-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';
import { HAND_OVER_KINDS_LISTED } from './hand-over-clause.ts';
import { VISIBLE_ROWS } from './visible-rows.ts';

/** A range of the key for each wallet, direction and asset. */
const QUERY = `
SELECT address, direction, counterparty, count(),
  min((toUnixTimestamp(block_time), block_number, tx_index)) AS first
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction IN ('in', 'out')
  AND asset_family IN {families:Array(String)}
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', address)
  AND ${VISIBLE_ROWS}
GROUP BY address, direction, counterparty
ORDER BY address, direction, first, counterparty
LIMIT {limit:UInt32} BY address, direction`;

type Row = readonly [
  wallet: string,
  direction: 'in' | 'out',
  counterparty: string,
  transfers: string,
  first: readonly [time: number, block: string, tx: number],
];

/** One query: whom the wallets dealt with, earliest acquaintances first. */
export const readNeighbours = async (
  client: WarehouseClient,
  { chain, wallets, families, perSideMax, signal, timeoutMs }: NeighboursRequest,
): Promise<readonly Neighbour[]> => {
  if (wallets.length === 0) return [];
  const params = { chain, wallets, families, limit: perSideMax };
  const rows = await askTables<Row>(client, { query: QUERY, params }, { signal, timeoutMs });
  return rows.map(([wallet, direction, counterparty, transfers, [blockTime, block, txIndex]]) => ({
    ...{ wallet, direction, counterparty, transfers: Number(transfers) },
    first: { blockTime, blockNumber: Number(block), txIndex },
  }));
};
