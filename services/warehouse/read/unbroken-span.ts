import type { ReadLimits, UnbrokenSpan } from '../../investigate/model/transfer-reader.ts';
import type { Clock } from '../../platform/clock.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { askTables } from './ask-tables.ts';
import { readIndexedHead } from './indexed-head.ts';
import { VISIBLE_ROWS } from './visible-rows.ts';

/** So many of the newest blocks may still come in another order; a gap of more than these is one. */
const UNSETTLED_BLOCKS = 64;
/** Blocks are looked through again after so many times what it took: a hundredth of the time at most. */
const REST = 100;
const REST_MIN_MS = 1_000;

// Before the first block there is always a gap.
const QUERY = `
SELECT max((number, toUnixTimestamp(time))) FROM
(
  SELECT number, time, parent, lagInFrame(number, 1, -${2 * UNSETTLED_BLOCKS})
    OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
  FROM
  (
    SELECT toInt64(number) AS number, time, toInt64(ifNull(parent_number, number - 1)) AS parent
    FROM blocks
    WHERE chain = {chain:String} AND part = 0 AND ${VISIBLE_ROWS}
  )
)
WHERE parent > before AND (parent - before > ${UNSETTLED_BLOCKS} OR number + ${UNSETTLED_BLOCKS} < {head:Int64})`;

type Row = readonly [begin: readonly [number: string, time: number]];
type Begin = { readonly number: number; readonly timeUnixSeconds: number };
type Kept = { begin: Promise<Begin>; untilUnixMs: number };
type Request = ReadLimits & { readonly chain: string };

/**
 * The newest block and those before it back to the last gap; null where there is none. One query for the newest block; where
 * the last gap ends is kept for a time, because all blocks of the chain are looked through for it.
 */
export const createUnbrokenSpan = (
  client: WarehouseClient,
  clock: Clock,
): ((request: Request) => Promise<UnbrokenSpan | null>) => {
  const kept = new Map<string, Kept>();
  const keep = (request: Request, head: number): Kept => {
    const startUnixMs = clock.nowUnixMs();
    const entry: Kept = { begin: readBegin(client, request, head), untilUnixMs: Number.POSITIVE_INFINITY };
    entry.begin.then(
      () => {
        const nowUnixMs = clock.nowUnixMs();
        entry.untilUnixMs = nowUnixMs + Math.max(REST_MIN_MS, REST * (nowUnixMs - startUnixMs));
      },
      () => kept.delete(request.chain),
    );
    kept.set(request.chain, entry);
    return entry;
  };
  return async (request) => {
    const head = await readIndexedHead(client, request);
    if (head === null) return null;
    const known = kept.get(request.chain);
    const isFresh = known !== undefined && clock.nowUnixMs() < known.untilUnixMs;
    const { begin } = isFresh ? known : keep(request, head.number);
    const { number, timeUnixSeconds } = await begin;
    return {
      fromUnixSeconds: timeUnixSeconds,
      toUnixSeconds: head.timeUnixSeconds,
      beginsChain: number <= 1,
    };
  };
};

const readBegin = async (
  client: WarehouseClient,
  { chain, ...limits }: Request,
  head: number,
): Promise<Begin> => {
  const [row] = await askTables<Row>(client, { query: QUERY, params: { chain, head } }, limits);
  const [number, timeUnixSeconds] = row?.[0] ?? ['0', 0];
  return { number: Number(number), timeUnixSeconds };
};
