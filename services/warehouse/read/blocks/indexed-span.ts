import type { IndexedSpan, TraceReader } from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { askTables } from '../ask-tables.ts';
import { edgeBlock } from './indexed-head.ts';
import { createLastGap } from './last-gap.ts';

const QUERY = `SELECT * FROM (${edgeBlock('ASC')}) UNION ALL SELECT * FROM (${edgeBlock('DESC')})`;

type Row = readonly [number: string, time: number];

/**
 * The first and the newest indexed block of a chain that have a time, and the end of its last gap; null when
 * there are none. One query for both ends when the gap is cached and no block arrived since.
 */
export const createIndexedSpan = (client: WarehouseClient, clock: Clock): TraceReader['indexedSpan'] => {
  const readBegin = createLastGap(client, clock);
  const readSpan = async (chain: string, limits: ReadLimits): Promise<IndexedSpan | null> => {
    const rows = await askTables<Row>(client, { query: QUERY, params: { chain } }, limits);
    if (rows.length === 0) return null;
    const times = rows.map(([, time]) => time);
    const toBlock = Math.max(...rows.map(([number]) => Number(number)));
    const begin = await readBegin(
      { chain, ...limits },
      { number: toBlock, timeUnixSeconds: Math.max(...times) },
    );
    return {
      fromUnixSeconds: Math.min(...times),
      toUnixSeconds: Math.max(...times),
      toBlock,
      contiguousSinceUnixSeconds: begin.timeUnixSeconds,
    };
  };
  return (_, chains, limits) => Promise.all(chains.map((chain) => readSpan(chain, limits)));
};
