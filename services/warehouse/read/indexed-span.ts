import type { TimeRange } from '../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import { askTables } from './ask-tables.ts';

const end = (order: 'ASC' | 'DESC'): string => `
SELECT toUnixTimestamp(time) FROM blocks
WHERE chain = {chain:String} AND ${VISIBLE_ROWS} ORDER BY number ${order} LIMIT 1`;

const QUERY = `SELECT * FROM (${end('ASC')}) UNION ALL SELECT * FROM (${end('DESC')})`;

type Row = readonly [time: number];

/** One query, the two ends of the key: when the first and the newest indexed block of a chain were made. */
export const readIndexedSpan = async (
  client: WarehouseClient,
  { chain, ...limits }: ReadLimits & { chain: string },
): Promise<TimeRange | null> => {
  const rows = await askTables<Row>(client, { query: QUERY, params: { chain } }, limits);
  const times = rows.map(([time]) => time);
  if (times.length === 0) return null;
  return { fromUnixSeconds: Math.min(...times), toUnixSeconds: Math.max(...times) };
};
