import { setTimeout as sleep } from 'node:timers/promises';
import { openReferenceEvents, REFERENCE_TOPICS } from '../../events/reference-events.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { Logger } from '../../platform/logger.ts';
import { retryForever } from '../../platform/retry.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { type PriceSource, PriceSourceError } from '../../prices/price-source.ts';
import { readUnpricedDays, type UnpricedDay } from '../../warehouse/read/assets/unpriced-days.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { REFERENCE_GROUP } from '../sink/start-references.ts';
import type { Store } from '../store/open-store.ts';

/** The name in answers: `import:http`. The configuration says whose service it is. */
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

/** Asks an outside source for coin prices on days without trades on the chain. */
export const startPriceSource = (request: Request): { stop(): Promise<void> } => {
  const { logger, everyMs = EVERY_MS } = request;
  const stopping = new AbortController();
  const { signal } = stopping;
  const leftOut = new LeftOutDays();
  const onWait = (err: unknown, waitMs: number): void =>
    logger.warn({ err, waitMs }, 'prices could not be fetched; trying again');
  const run = async (): Promise<never> => {
    for (;;) {
      leftOut.beginRound();
      const days = await retryForever(() => importDays(request, leftOut, signal), { signal, onWait });
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

/** Asks for a bounded number of days; returns how many the source knew. Throws if the source is away. */
const importDays = async (
  { store, warehouse, source, logger }: Request,
  leftOut: LeftOutDays,
  signal: AbortSignal,
): Promise<number> => {
  // Earlier results must be in the tables, or they would be fetched again.
  if ((await readLag(store.log, REFERENCE_GROUP, REFERENCE_TOPICS)) > 0) return 0;
  const events = await openReferenceEvents(store.registry);
  const limits = { signal, timeoutMs: QUERY_TIMEOUT_MS };
  const days = await readUnpricedDays(warehouse.reader, { limit: DAYS_MAX + leftOut.size, ...limits });
  let known = 0;
  for (const day of days.filter((each) => !leftOut.has(each)).slice(0, DAYS_MAX)) {
    const chain = findChain(day.chain);
    if (!chain) continue;
    const request = { chain, fromUnixSeconds: day.beginUnixSeconds, hours: 24 };
    const prices = await source.coinPrices(request, signal).catch((err: unknown) => {
      if (!isAboutTheDay(err)) throw err;
      logger.warn({ err, ...day }, 'the prices of a day could not be read; the day is skipped for now');
      leftOut.forNow(day);
    });
    if (prices === undefined) continue;
    if (prices.length === 0) {
      leftOut.untilStart(day);
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

const isAboutTheDay = (err: unknown): boolean =>
  err instanceof PriceSourceError && (err.code === 'malformed' || err.code === 'refused');

/** As many rounds as a day has. */
const PAUSE_MAX = 144;

/** Days that the source did not know are postponed, so that others have their turn. */
class LeftOutDays {
  readonly #pauses = new Map<string, { readonly rounds: number; readonly until: number }>();
  #round = 0;

  get size(): number {
    return this.#pauses.size;
  }

  beginRound(): void {
    this.#round += 1;
  }

  has(day: UnpricedDay): boolean {
    return (this.#pauses.get(keyOf(day))?.until ?? 0) > this.#round;
  }

  /** The source has nothing for it. */
  untilStart(day: UnpricedDay): void {
    this.#pauses.set(keyOf(day), { rounds: PAUSE_MAX, until: Number.POSITIVE_INFINITY });
  }

  /** Postponed to the next round, and twice as long each further time. */
  forNow(day: UnpricedDay): void {
    const rounds = Math.min(PAUSE_MAX, 2 * (this.#pauses.get(keyOf(day))?.rounds ?? 0.5));
    this.#pauses.set(keyOf(day), { rounds, until: this.#round + rounds });
  }
}

const keyOf = ({ chain, beginUnixSeconds }: UnpricedDay): string => `${chain} ${beginUnixSeconds}`;
