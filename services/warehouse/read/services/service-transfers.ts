import type {
  Direction,
  ServiceTransfer,
  ServiceTransfersRequest,
} from '../../../investigate/model/trace-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { HAND_OVER_KINDS_LISTED, VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/**
 * One range of amounts, within which the key is in order of time. When more rows match than requested, those
 * with the lowest fee are kept, and among equal ones those nearest to the trace's other side.
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

/** A service's inflows or outflows of an asset within bounds of amount and time. One query. */
export const readServiceTransfers = async (
  client: WarehouseClient,
  request: ServiceTransfersRequest,
): Promise<readonly ServiceTransfer[]> => {
  const { chain, entity, direction, canonicalAsset, limit, ...limits } = request;
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
  const rows = await askTables<Row>(client, { query: query(direction), params }, limits);
  return rows.map(([wallet, counterparty, amount, blockTime, block, txIndex]) => ({
    wallet,
    counterparty,
    amountRaw: BigInt(amount),
    blockTime,
    blockNumber: Number(block),
    txIndex,
  }));
};
