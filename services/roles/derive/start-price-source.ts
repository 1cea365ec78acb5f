import { setTimeout as sleep } from 'node:timers/promises';
import { openReferenceEvents, REFERENCE_TOPICS } from '../../events/reference-events.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { Logger } from '../../platform/logger.ts';
import { retryForever } from '../../platform/retry.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import type { PriceSource } from '../../prices/price-source.ts';
import { readUnpricedDays } from '../../warehouse/read/unpriced-days.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { REFERENCE_GROUP } from '../sink/start-references.ts';
import type { Store } from '../store/open-store.ts';

/** As answers name it: `import:http`. Whose service it is, the configuration says. */
const SOURCE = 'http';
const EVERY_MS = 600_000;
const DAYS_MAX = 50;
const QUERY_TIMEOUT_MS = 60_000;

type Request = {
  readonly store: Store;
  readonly warehouse: Pick<Warehouse, 'reader'>;
  readonly source: PriceSource;
  readonly logger: Logger;
  readonly everyMs?: number;
};

/** Asks a source outside for the coins' prices of days of which the chains' own trades say nothing. */
export const startPriceSource = (request: Request): { stop(): Promise<void> } => {
  const { logger, everyMs = EVERY_MS } = request;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Days of which the source has nothing: it is asked again after the next start. */
  const empty = new Set<string>();
  const onWait = (err: unknown, waitMs: number): void =>
    logger.warn({ err, waitMs }, 'prices could not be fetched; asked again');
  const run = async (): Promise<never> => {
    for (;;) {
      const days = await retryForever(() => importDays(request, empty, signal), { signal, onWait });
      if (days > 0) logger.info({ days }, 'prices of coins were fetched');
      await sleep(everyMs, undefined, { signal });
    }
  };
  const ended = run().catch(() => {});
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};

/** A bounded number of days; says how many the source knew. */
const importDays = async (
  { store, warehouse, source }: Request,
  empty: Set<string>,
  signal: AbortSignal,
): Promise<number> => {
  // What was fetched before must be in the tables: else it is fetched again.
  if ((await readLag(store.log, REFERENCE_GROUP, REFERENCE_TOPICS)) > 0) return 0;
  const events = await openReferenceEvents(store.registry);
  const limits = { signal, timeoutMs: QUERY_TIMEOUT_MS };
  const days = await readUnpricedDays(warehouse.reader, { limit: DAYS_MAX + empty.size, ...limits });
  const isAsked = (day: (typeof days)[number]): boolean => empty.has(`${day.chain} ${day.beginUnixSeconds}`);
  let known = 0;
  for (const day of days.filter((each) => !isAsked(each)).slice(0, DAYS_MAX)) {
    const chain = findChain(day.chain);
    if (!chain) continue;
    const prices = await source.coinPrices(
      { chain, fromUnixSeconds: day.beginUnixSeconds, hours: 24 },
      signal,
    );
    if (prices.length === 0) {
      empty.add(`${day.chain} ${day.beginUnixSeconds}`);
      continue;
    }
    const time = prices.map(({ timeUnixSeconds }) => timeUnixSeconds);
    const usd = prices.map((price) => price.usd);
    await store.log.append([
      events.importPrices({ chain: chain.name, asset: NATIVE, source: SOURCE, time, usd }),
    ]);
    known += 1;
  }
  return known;
};
