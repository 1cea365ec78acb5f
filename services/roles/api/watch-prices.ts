import { setTimeout as sleep } from 'node:timers/promises';
import { FINAL_SLOTS } from '../../events/event-sequence.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { prices } from '../../warehouse/derive/prices.ts';
import type { Lane } from '../../warehouse/derive/settled.ts';
import { readLanes } from '../derive/derive-store.ts';
import { SINK_GROUP } from '../sink/start-sink.ts';
import type { Store } from '../store/open-store.ts';

const EVERY_MS = 5_000;
/** Live chains add blocks all the time, and their prices follow within a minute. */
const ALLOWED_MS = 60_000;

export type WatchedPrices = { isPending(): boolean; stop(): Promise<void> };

/** The first sequence of each lane that prices have not been derived from. */
type Reached = ReadonlyMap<number, number>;

/**
 * Whether the tables hold blocks that prices have not been derived from. Blocks of a followed chain wait until they
 * are settled, so of those only the first derivation is waited for.
 */
export const arePricesBehind = (lanes: readonly Lane[], reached: Reached): boolean =>
  lanes.some(({ lane, end }) => {
    // The remainder of a lane's first sequence is the lane.
    if (end <= lane) return false;
    const next = reached.get(lane) ?? 0;
    return FINAL_SLOTS.has(lane) ? next < end : next <= lane;
  });

/** Compares from time to time; until the first comparison prices are not called pending. */
export const watchPrices = (
  store: Pick<Store, 'log'>,
  reader: WarehouseClient,
  { everyMs = EVERY_MS, onError }: { everyMs?: number; onError: (error: unknown) => void },
): WatchedPrices => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const seen: { readonly atMs: number; readonly lanes: readonly Lane[] }[] = [];
  let isPending = false;
  const look = async (): Promise<void> => {
    const atMs = performance.now();
    seen.push({ atMs, lanes: await readLanes(store, [SINK_GROUP]) });
    // The youngest that is old enough, or the first of all.
    while (seen[1] !== undefined && atMs - seen[1].atMs >= ALLOWED_MS) seen.shift();
    isPending = arePricesBehind(seen[0]?.lanes ?? [], await readReached(reader));
  };
  const run = async (): Promise<never> => {
    for (;;) {
      await look().catch(onError);
      await sleep(everyMs, undefined, { signal });
    }
  };
  const ended = run().catch(() => {});
  return {
    isPending: () => isPending,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};

const readReached = async (reader: WarehouseClient): Promise<Reached> => {
  const query =
    'SELECT lane, max(next) FROM derivations FINAL WHERE derivation = {name:String} GROUP BY lane';
  const rows = await askRows<[lane: number, next: string]>(reader, query, { name: prices.name });
  return new Map(rows.map(([lane, next]) => [lane, Number(next)]));
};
