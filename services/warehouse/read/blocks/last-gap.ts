import { setTimeout as sleep } from 'node:timers/promises';
import { ReadFailedError, type ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import type { BlockTable, IndexedHead } from './indexed-head.ts';
import { type Begin, readLastGap, readNewestBelow, UNSETTLED_BLOCKS } from './read-last-gap.ts';

/**
 * The blocks are scanned again only after this multiple of the last scan's duration, so that scans take at
 * most a hundredth of the time.
 */
const REST = 100;
const REST_MIN_MS = 1_000;
/** A scan takes some seconds on two cores. A chain produces a hundred million blocks a year. */
const NUMBERS_AT_ONCE = 4_000_000;
const LOOK_TIMEOUT_MS = 60_000;
/** A chain whose newest block is older than this stands still: no block is on its way. */
const LIVE_MS = 600_000;

/**
 * The end of the last gap before the newest block. Cached, because finding it may read all blocks of the
 * chain; then refreshed in the background. Each query also checks the blocks that arrived since.
 */
type Look = {
  readonly begin: Begin;
  readonly restsUntilUnixMs: number;
  readonly isLive: boolean;
  seen: number;
};
type Newest = { readonly head: number; readonly isLive: boolean };
/**
 * There is no gap between the block `first` and the newest one, and none from the number `from` to `first`.
 */
type GapProgress = { readonly head: number; readonly from: number; readonly first: number };
type Request = ReadLimits & { readonly chain: string };

const BEGIN_OF_CHAIN: Begin = { number: 0, timeUnixSeconds: 0 };

/**
 * Finds the end of the last gap before the newest block. The result is cached, because a scan may read all
 * blocks of the chain. It is refreshed in the background, and nobody waits for that. Each query also checks
 * the blocks that arrived since the last scan.
 */
export const createLastGap = (
  client: WarehouseClient,
  clock: Clock,
  table: BlockTable = 'blocks',
): ((request: Request, head: IndexedHead) => Promise<Begin>) => {
  const looks = createLooks(client, clock, table);
  return async (request, { number: head, timeUnixSeconds }) => {
    const isLive = clock.nowUnixMs() - timeUnixSeconds * 1_000 <= LIVE_MS;
    const newest = { head, isLive };
    const last = looks.last(request.chain) ?? (await waitFor(looks.look(request.chain, newest), request));
    if (clock.nowUnixMs() >= last.restsUntilUnixMs) looks.look(request.chain, newest);
    // What was forgiven while the chain was live is real once it stands still.
    const isForgiven = last.isLive && !isLive;
    if (head <= last.seen && !isForgiven) return last.begin;
    const since = { from: Math.max(1, last.seen - 2 * UNSETTLED_BLOCKS), to: head, head, isLive };
    const { begin } = await readLastGap(client, { ...request, table, ...since });
    if (begin === null) last.seen = Math.max(last.seen, head);
    return begin ?? last.begin;
  };
};

/**
 * Scans the blocks of a chain, one search at a time. The search belongs to no caller, and continues after a
 * failure.
 */
const createLooks = (client: WarehouseClient, clock: Clock, table: BlockTable) => {
  const last = new Map<string, Look>();
  const progress = new Map<string, GapProgress>();
  const underway = new Map<string, Promise<Look>>();
  const lookThrough = async (chain: string, { head, isLive }: Newest): Promise<Look> => {
    const startUnixMs = clock.nowUnixMs();
    const begin = await lookBack(client, { chain, table, isLive }, head, {
      begun: progress.get(chain) ?? null,
      reached: (place) => progress.set(chain, place),
    });
    progress.delete(chain);
    const nowUnixMs = clock.nowUnixMs();
    const restsUntilUnixMs = nowUnixMs + Math.max(REST_MIN_MS, REST * (nowUnixMs - startUnixMs));
    const look = { begin, restsUntilUnixMs, isLive, seen: head };
    last.set(chain, look);
    return look;
  };
  return {
    last: (chain: string) => last.get(chain),
    look: (chain: string, newest: Newest): Promise<Look> => {
      const looking = underway.get(chain) ?? lookThrough(chain, newest).finally(() => underway.delete(chain));
      underway.set(chain, looking);
      // After a failure, the next caller continues it.
      looking.catch(() => undefined);
      return looking;
    },
  };
};

type Path = { readonly begun: GapProgress | null; readonly reached: (place: GapProgress) => void };

/**
 * Searches from the newest block back to the last gap, one limited part at a time, and stops where an earlier
 * scan found no gap.
 */
const lookBack = async (
  client: WarehouseClient,
  of: { readonly chain: string; readonly table: BlockTable; readonly isLive: boolean },
  head: number,
  { begun, reached }: Path,
): Promise<Begin> => {
  const limits = () => ({ signal: AbortSignal.timeout(LOOK_TIMEOUT_MS), timeoutMs: LOOK_TIMEOUT_MS });
  const read = (range: { from: number; to: number }) =>
    readLastGap(client, { ...of, head, ...range, ...limits() });
  let place = { head, from: head + 1, first: head };
  if (begun !== null) {
    const { begin } = await read({ from: Math.max(1, begun.head - 2 * UNSETTLED_BLOCKS), to: head });
    if (begin !== null) return begin;
    place = { ...begun, head };
  }
  while (place.from > 0) {
    const from = Math.max(0, place.from - NUMBERS_AT_ONCE);
    // The first block of the previous part is the last of this one, because there may be a gap between them.
    const { begin, first } = await read({ from, to: place.first });
    if (begin !== null) return begin;
    // A range without other blocks is skipped at once. Most chains are indexed from a later block on.
    const isEmpty = first === null || first === place.first;
    const below = isEmpty ? await readNewestBelow(client, { ...of, number: from, ...limits() }) : null;
    place = { head, from: isEmpty ? (below ?? 0) + 1 : from, first: first ?? place.first };
    reached(place);
  }
  return BEGIN_OF_CHAIN;
};

/** A search that all callers share. Each caller may leave, and waits at most for its own time limit. */
const waitFor = async <T>(shared: Promise<T>, { signal, timeoutMs }: ReadLimits): Promise<T> => {
  const answered = new AbortController();
  const patience = sleep(timeoutMs, null, { signal: AbortSignal.any([signal, answered.signal]) }).then(
    () => Promise.reject(new ReadFailedError('timeout')),
    () => Promise.reject(new ReadFailedError('aborted')),
  );
  try {
    return await Promise.race([shared, patience]);
  } finally {
    answered.abort();
  }
};
