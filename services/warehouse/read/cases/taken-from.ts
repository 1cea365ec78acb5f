import type { HoldingsSince, Limited } from '../../../investigate/model/case-reader.ts';
import type { ReadLimits, TransactionPosition } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';
import { toHoldingParams } from './handled.ts';

const QUERY = `
SELECT toUnixTimestamp(block_time) AS time, block_number, tx_index
FROM account_entries
WHERE chain = {chain:String} AND address IN {wallets:Array(String)} AND direction = 'out'
  AND asset_family IN {canonicalAssets:Array(String)}
  AND (address, asset_family) IN arrayZip({wallets:Array(String)}, {canonicalAssets:Array(String)})
  AND block_time >= toDateTime({since:UInt32}, 'UTC') AND NOT is_sender
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', address)
  AND ${VISIBLE_ROWS}
GROUP BY time, block_number, tx_index
ORDER BY time, block_number, tx_index
LIMIT {limit:UInt32}`;

type Row = readonly [time: number, block: string, tx: number];

/** One query for each list of holdings, a range of the key for each holding. */
export const readTakenFrom = (
  client: WarehouseClient,
  common: Limited,
  asked: readonly HoldingsSince[],
  limits: ReadLimits,
): Promise<readonly (readonly TransactionPosition[])[]> =>
  Promise.all(
    asked.map(async ({ holdings, sinceUnixSeconds: since }) => {
      if (holdings.length === 0) return [];
      const question = { query: QUERY, params: { ...common, ...toHoldingParams(holdings), since } };
      return (await askTables<Row>(client, question, limits)).map((row) => toPosition(...row));
    }),
  );
