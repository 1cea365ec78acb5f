import type {
  Direction,
  ServiceTransfer,
  ServiceTransfersRequest,
} from '../../../investigate/model/trace-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/**
 * One range of amounts: within it the key is in order of time. Where more fit than are asked for, those are kept of which
 * least was charged, and of equal ones those next to the other side of the trace.
 */
export const SERVICE_TRANSFER_ORDERS: Readonly<Record<Direction, string>> = {
  out: 'amount DESC, block_time, block_number, tx_index, index',
  in: 'amount, block_time DESC, block_number DESC, tx_index DESC, index DESC',
};

const query = (direction: Direction): string => `
SELECT address, counterparty, amount, toUnixTimestamp(block_time), block_number, tx_index
FROM service_entries FINAL
WHERE chain = {chain:String} AND entity = {entity:String} AND direction = {direction:String}
  AND asset_family = {canonicalAsset:String}
  AND amount BETWEEN {min:UInt256} AND {max:UInt256}
  AND block_time BETWEEN toDateTime({from:UInt32}, 'UTC') AND toDateTime({to:UInt32}, 'UTC')
  AND kind IN (${HAND_OVER_KINDS_LISTED}) AND counterparty != '' AND counterparty != address
  AND ${VISIBLE_ROWS}
ORDER BY ${SERVICE_TRANSFER_ORDERS[direction]}, address
LIMIT {limit:UInt32}`;

type Row = readonly [
  address: string,
  counterparty: string,
  amount: string,
  time: number,
  block: string,
  tx: number,
];

/** One query: what a service got or gave of an asset, of amounts and times between bounds. */
export const readServiceTransfers = async (
  client: WarehouseClient,
  request: ServiceTransfersRequest,
): Promise<readonly ServiceTransfer[]> => {
  const { chain, entity, direction, canonicalAsset, limit, signal, timeoutMs } = request;
  const params = {
    chain,
    entity,
    direction,
    canonicalAsset,
    limit,
    min: String(request.minRaw),
    max: String(request.maxRaw),
    from: request.fromUnixSeconds,
    to: request.toUnixSeconds,
  };
  const rows = await askTables<Row>(client, { query: query(direction), params }, { signal, timeoutMs });
  return rows.map(([wallet, counterparty, amount, blockTime, block, txIndex]) => ({
    wallet,
    counterparty,
    amountRaw: BigInt(amount),
    blockTime,
    blockNumber: Number(block),
    txIndex,
  }));
};
