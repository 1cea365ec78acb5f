import type { ReadLimits, UnbrokenSpan } from '../../investigate/model/transfer-reader.ts';
import type { Clock } from '../../platform/clock.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { VISIBLE_ROWS } from '../clauses/visible-rows.ts';
import { askTables } from './ask-tables.ts';
import { readIndexedHead } from './indexed-head.ts';

/** So many of the newest blocks may still come in another order; a gap of more than these is one. */
const UNSETTLED_BLOCKS = 64;
/** Blocks are looked through again after so many times what it took: a hundredth of the time at most. */
const REST = 100;
const REST_MIN_MS = 1_000;
const LOOK_TIMEOUT_MS = 20_000;

/** Before the first block there is always a gap, if all are looked through, and none if only the newest are. */
const NOTHING_BEFORE = -2 * UNSETTLED_BLOCKS;
const ALL_BEFORE = Number.MAX_SAFE_INTEGER;

const QUERY = `
SELECT max((number, toUnixTimestamp(time))) FROM
(
  SELECT number, time, parent, lagInFrame(number, 1, {before:Int64})
    OVER (ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
  FROM
  (
    SELECT toInt64(number) AS number, time, toInt64(ifNull(parent_number, number - 1)) AS parent
    FROM blocks
    WHERE chain = {chain:String} AND number >= {from:UInt64} AND part = 0 AND ${VISIBLE_ROWS}
  )
)
WHERE parent > before AND (parent - before > ${UNSETTLED_BLOCKS} OR number + ${UNSETTLED_BLOCKS} < {head:Int64})`;

type Row = readonly [begin: readonly [number: string, time: number]];
/** The first block behind a gap. */
type Begin = { readonly number: number; readonly timeUnixSeconds: number };
/** Where the last gap ended when all blocks were looked through, of which `head` was the newest. */
type Look = { readonly begin: Begin; readonly head: number; readonly restsUntilUnixMs: number };
type Request = ReadLimits & { readonly chain: string };

/**
 * Where the last gap before the newest block ends. It is kept for a time, because all blocks of the chain are looked through
 * for it. Then they are looked through again, and who asks meanwhile waits only until those that came since the last look were.
 */
export const createLastGap = (
  client: WarehouseClient,
  clock: Clock,
): ((request: Request, head: number) => Promise<Begin>) => {
  const looks = createLooks(client, clock);
  return async (request, head) => {
    const last = looks.last(request.chain) ?? (await looks.look(request, head));
    if (clock.nowUnixMs() < last.restsUntilUnixMs) return last.begin;
    const limits = { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS), timeoutMs: LOOK_TIMEOUT_MS };
    // Where it fails, the next to ask has it begin again.
    looks.look({ chain: request.chain, ...limits }, head).catch(() => undefined);
    const from = Math.max(0, last.head - 2 * UNSETTLED_BLOCKS);
    return (await readLastGap(client, request, { head, from, before: ALL_BEFORE })) ?? last.begin;
  };
};

/** The newest block and those before it back to the last gap; null where there is none. One query where the gap is known. */
export const createUnbrokenSpan = (
  client: WarehouseClient,
  clock: Clock,
): ((request: Request) => Promise<UnbrokenSpan | null>) => {
  const readBegin = createLastGap(client, clock);
  return async (request) => {
    const head = await readIndexedHead(client, request);
    if (head === null) return null;
    const { number, timeUnixSeconds } = await readBegin(request, head.number);
    return {
      fromUnixSeconds: timeUnixSeconds,
      toUnixSeconds: head.timeUnixSeconds,
      beginsChain: number <= 1,
    };
  };
};

/** Through all blocks of a chain, by one at a time. */
const createLooks = (client: WarehouseClient, clock: Clock) => {
  const last = new Map<string, Look>();
  const underway = new Map<string, Promise<Look>>();
  const lookThrough = async (request: Request, head: number): Promise<Look> => {
    const startUnixMs = clock.nowUnixMs();
    const gap = await readLastGap(client, request, { head, from: 0, before: NOTHING_BEFORE });
    const nowUnixMs = clock.nowUnixMs();
    const restsUntilUnixMs = nowUnixMs + Math.max(REST_MIN_MS, REST * (nowUnixMs - startUnixMs));
    const look = { begin: gap ?? { number: 0, timeUnixSeconds: 0 }, head, restsUntilUnixMs };
    last.set(request.chain, look);
    return look;
  };
  return {
    last: (chain: string) => last.get(chain),
    look: (request: Request, head: number): Promise<Look> => {
      const { chain } = request;
      const looking = underway.get(chain) ?? lookThrough(request, head).finally(() => underway.delete(chain));
      underway.set(chain, looking);
      return looking;
    },
  };
};

/** Where the last gap ends among the blocks from a number on; null where there is none. */
const readLastGap = async (
  client: WarehouseClient,
  { chain, ...limits }: Request,
  range: { readonly head: number; readonly from: number; readonly before: number },
): Promise<Begin | null> => {
  const [row] = await askTables<Row>(client, { query: QUERY, params: { chain, ...range } }, limits);
  const [number, timeUnixSeconds] = row?.[0] ?? ['0', 0];
  // Of no rows the engine says that the greatest is (0, 0).
  return number === '0' && timeUnixSeconds === 0 ? null : { number: Number(number), timeUnixSeconds };
};
