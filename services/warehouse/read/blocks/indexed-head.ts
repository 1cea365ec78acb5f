import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../sql-clauses.ts';
import { askTables } from '../ask-tables.ts';

/** All blocks, or those whose control events are kept. */
export type BlockTable = 'blocks' | 'control_blocks';

/** The first or the newest block of a chain of those whose time is known. */
export const edgeBlock = (order: 'ASC' | 'DESC', table: BlockTable = 'blocks'): string => `
SELECT number, toUnixTimestamp(time) FROM ${table}
WHERE chain = {chain:String} AND time > toDateTime(0, 'UTC') AND ${VISIBLE_ROWS} ORDER BY number ${order} LIMIT 1`;

type Row = readonly [number: string, time: number];

export type IndexedHead = { readonly number: number; readonly timeUnixSeconds: number };

/** One query: the newest block of a chain in the tables whose time is known; null where there is none. */
export const readIndexedHead = async (
  client: WarehouseClient,
  { chain, ...limits }: ReadLimits & { chain: string },
  table: BlockTable = 'blocks',
): Promise<IndexedHead | null> => {
  const [row] = await askTables<Row>(client, { query: edgeBlock('DESC', table), params: { chain } }, limits);
  return row === undefined ? null : { number: Number(row[0]), timeUnixSeconds: row[1] };
};
