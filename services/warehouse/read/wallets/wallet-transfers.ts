import type { WalletTransfer, WalletTransfersRequest } from '../../../investigate/model/trace-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/** The end of one range of the key, read backwards up to the limit. */
const QUERY = `
SELECT counterparty, amount, toUnixTimestamp(block_time), block_number, tx_index
FROM account_entries
WHERE chain = {chain:String} AND address = {wallet:String} AND direction = {direction:String}
  AND asset_family = {canonicalAsset:String}
  AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', {wallet:String})
  AND ${VISIBLE_ROWS}
ORDER BY block_time DESC, block_number DESC, tx_index DESC, index DESC
LIMIT {limit:UInt32}`;

type Row = readonly [counterparty: string, amount: string, time: number, block: string, tx: number];

/** A wallet's inflows or outflows of an asset between two times, latest first. One query. */
export const readWalletTransfers = async (
  client: WarehouseClient,
  request: WalletTransfersRequest,
): Promise<readonly WalletTransfer[]> => {
  const { chain, wallet, direction, canonicalAsset, limit, ...limits } = request;
  const times = { from: request.fromUnixSeconds, to: request.toUnixSeconds };
  const params = { chain, wallet, direction, canonicalAsset, limit, ...times };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(([counterparty, amount, blockTime, block, txIndex]) => ({
    counterparty,
    amountRaw: BigInt(amount),
    blockTime,
    blockNumber: Number(block),
    txIndex,
  }));
};
