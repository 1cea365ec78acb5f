import type { TransferBetween, TransfersBetweenRequest } from '../../../investigate/model/trace-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { ENDS_OF_MANY, endsOf, leastsOf } from './neighbours.ts';

const QUERY = `
SELECT address, toUnixTimestamp(block_time), block_number, tx_index
FROM ${ENDS_OF_MANY} WHERE in_earnest AND counterparty IN {counterparties:Array(String)}
ORDER BY block_time, block_number, tx_index, address
LIMIT {limit:UInt32}`;

type Row = readonly [wallet: string, time: number, block: string, tx: number];

/**
 * Transfers between the wallets and the counterparties that `neighbours` counts, the earliest first. One
 * query.
 */
export const readTransfersBetween = async (
  client: WarehouseClient,
  request: TransfersBetweenRequest,
): Promise<readonly TransferBetween[]> => {
  const { chain, wallets, counterparties, direction, canonicalAssets, leastRaw, limit, ...limits } = request;
  if (wallets.length === 0) return [];
  const sides = wallets.map((wallet) => ({ wallet, direction }));
  const params = { chain, counterparties, ...endsOf(sides, canonicalAssets), ...leastsOf(leastRaw), limit };
  const rows = await askTables<Row>(client, { query: QUERY, params }, limits);
  return rows.map(([wallet, blockTime, block, txIndex]) => ({
    wallet,
    blockTime,
    blockNumber: Number(block),
    txIndex,
  }));
};
