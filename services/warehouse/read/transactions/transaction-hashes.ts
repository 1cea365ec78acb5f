import type { OnChain, ReadLimits, TransactionPosition } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables, READ_AT_ONCE } from '../ask-tables.ts';
import { PLACES, toPlaces } from './places.ts';

const QUERY = `
SELECT toUnixTimestamp(block_time), block_number, tx_index, tx_hash
FROM transfers
WHERE chain = {chain:String} AND (block_number, tx_index) IN ${PLACES} AND ${VISIBLE_ROWS}
LIMIT 1 BY block_number, tx_index`;

type Row = readonly [time: number, block: string, txIndex: number, hash: string];

/**
 * One query, a short range of the key for each position; null when there is no row, or, after a
 * reorganisation, only one of another time.
 */
export const readTransactionHashes = async (
  client: WarehouseClient,
  { chain }: OnChain,
  positions: readonly TransactionPosition[],
  limits: ReadLimits,
): Promise<readonly (string | null)[]> => {
  if (positions.length === 0) return [];
  const params = { chain, ...toPlaces(positions) };
  const rows = await askTables<Row>(client, { query: QUERY, params, settings: READ_AT_ONCE }, limits);
  const hashes = new Map(rows.map(([time, block, txIndex, hash]) => [`${time}/${block}/${txIndex}`, hash]));
  return positions.map(
    ({ blockTime, blockNumber, txIndex }) => hashes.get(`${blockTime}/${blockNumber}/${txIndex}`) ?? null,
  );
};
