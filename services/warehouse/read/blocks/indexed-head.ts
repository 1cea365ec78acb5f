import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/** All blocks, or those with control events. */
export type BlockTable = 'blocks' | 'control_blocks';

/** A chain's first or newest block with a known time. */
export const edgeBlock = (order: 'ASC' | 'DESC', table: BlockTable = 'blocks'): string => `
SELECT number, toUnixTimestamp(time) FROM ${table}
WHERE chain = {chain:String} AND time > toDateTime(0, 'UTC') AND ${VISIBLE_ROWS} ORDER BY number ${order} LIMIT 1`;

type Row = readonly [number: string, time: number];

export type IndexedHead = { readonly number: number; readonly timeUnixSeconds: number };

/** A chain's newest block with a known time in the tables; null when there is none. One query. */
export const readIndexedHead = async (
  client: WarehouseClient,
  { chain, ...limits }: ReadLimits & { chain: string },
  table: BlockTable = 'blocks',
): Promise<IndexedHead | null> => {
  const [row] = await askTables<Row>(client, { query: edgeBlock('DESC', table), params: { chain } }, limits);
  return row === undefined ? null : { number: Number(row[0]), timeUnixSeconds: row[1] };
};
