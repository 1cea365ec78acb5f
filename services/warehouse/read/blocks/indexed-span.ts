import type { IndexedSpan } from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../../clauses/visible-rows.ts';
import { askTables } from '../ask-tables.ts';
import { createLastGap } from './last-gap.ts';

const end = (order: 'ASC' | 'DESC'): string => `
SELECT number, toUnixTimestamp(time) FROM blocks
WHERE chain = {chain:String} AND time > toDateTime(0, 'UTC') AND ${VISIBLE_ROWS} ORDER BY number ${order} LIMIT 1`;

const QUERY = `SELECT * FROM (${end('ASC')}) UNION ALL SELECT * FROM (${end('DESC')})`;

type Row = readonly [number: string, time: number];

/**
 * The first and the newest indexed block of a chain that have a time, and where its last gap ends; null where there is none. One
 * query for the two ends of the key where the gap is known and no block came since.
 */
export const createIndexedSpan = (
  client: WarehouseClient,
  clock: Clock,
): ((request: ReadLimits & { chain: string }) => Promise<IndexedSpan | null>) => {
  const readBegin = createLastGap(client, clock);
  return async (request) => {
    const { chain, ...limits } = request;
    const rows = await askTables<Row>(client, { query: QUERY, params: { chain } }, limits);
    if (rows.length === 0) return null;
    const times = rows.map(([, time]) => time);
    const begin = await readBegin(request, Math.max(...rows.map(([number]) => Number(number))));
    return {
      fromUnixSeconds: Math.min(...times),
      toUnixSeconds: Math.max(...times),
      unbrokenSinceUnixSeconds: begin.timeUnixSeconds,
    };
  };
};
