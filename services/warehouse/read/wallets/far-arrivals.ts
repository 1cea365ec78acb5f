import type { FarArrival, FarArrivalsRequest } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';
import { toPosition } from '../transactions/places.ts';

/** A short range of the key for each chain and asset. */
const QUERY = `
SELECT chain, asset_family, amount, counterparty, toUnixTimestamp(block_time), block_number, tx_index
FROM account_entries
WHERE chain IN {chains:Array(String)} AND address = {wallet:String} AND direction = 'in'
  AND asset_family IN {canonicalAssets:Array(String)}
  AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
  AND (kind IN (${HAND_OVER_KINDS_LISTED}) AND counterparty NOT IN ('', {wallet:String})
    OR kind = 'mint' AND counterparty = '')
  AND amount > 0
  AND amount >= toUInt256OrZero(arrayElement({least:Array(String)}, indexOf({canonicalAssets:Array(String)}, asset_family)))
  AND ${VISIBLE_ROWS}
ORDER BY block_time, block_number, tx_index, index
LIMIT {limit:UInt32}`;

type Row = readonly [
  chain: string,
  canonicalAsset: string,
  amount: string,
  payer: string,
  time: number,
  block: string,
  tx: number,
];

/** What reached an address on other chains within a time, earliest first. One query. */
export const readFarArrivals = async (
  client: WarehouseClient,
  {
    chains,
    wallet,
    leastRaw,
    fromUnixSeconds: from,
    toUnixSeconds: to,
    limit,
    ...limits
  }: FarArrivalsRequest,
): Promise<readonly FarArrival[]> => {
  const canonicalAssets = [...leastRaw.keys()];
  const least = [...leastRaw.values()].map(String);
  const params = { chains, wallet, canonicalAssets, least, from, to, limit };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(([chain, canonicalAsset, amount, payer, blockTime, block, txIndex]) => ({
    chain,
    canonicalAsset,
    ...toPosition(blockTime, block, txIndex),
    amountRaw: BigInt(amount),
    payer: payer === '' ? null : payer,
  }));
};
