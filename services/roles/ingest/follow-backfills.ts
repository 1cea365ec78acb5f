import { HISTORY_LISTED, openHistoryEvents } from '../../events/history-events.ts';
import { openWalletEvents, WALLETS_READ, type WalletRead } from '../../events/wallet-events.ts';
import { isLost } from '../../ingest/until-written.ts';
import type { Backfill, Backfills } from '../../investigate/model/backfills.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
import { KnownWindows } from '../../investigate/model/known-windows.ts';
import type { Clock } from '../../platform/clock.ts';
import { followTopic } from '../../platform/event-log/follow-topic.ts';
import { RecordPassedOverError } from '../../platform/event-log/read-decoded.ts';
import type { Logger } from '../../platform/logger.ts';
import { retryForever } from '../../platform/retry.ts';
import { untilTransfersStored } from '../sink/until-transfers-stored.ts';
import type { Store } from '../store/open-store.ts';

/** The oldest are forgotten and asked for again. */
const REMEMBERED_MAX = 100_000;
/** After this time a node's failure is worth another attempt. */
const FAILED_FOR_SECONDS = 600;

const MISSING: Readonly<Record<string, Backfill['missing']>> = {
  complete: 'nothing',
  coin_transfers_left_out: 'coin',
};

export type FollowedBackfills = {
  /** As of the call. Later backfills are ignored, because rows may have been read before them. */
  now(): Backfills;
  stop(): Promise<void>;
};

/**
 * Which histories were read, whole and by windows, and are in the tables. Only for followed chains, because no other
 * nodes are known.
 */
export const followBackfills = async (request: {
  store: Store;
  chains: readonly string[];
  clock: Clock;
  logger: Logger;
}): Promise<FollowedBackfills> => {
  const { store, clock, logger } = request;
  const chains = new Set(request.chains);
  const wallets = await openWalletEvents(store.registry);
  const histories = await openHistoryEvents(store.registry);
  const stopping = new AbortController();
  const stored = new StoredHistories();
  const onError = (err: unknown): void =>
    logger.warn({ err }, 'reading the topics of wallet histories failed; trying again');
  const waiting: Told[] = [];
  let storing: Promise<void> | null = null;
  let isFollowing = false;
  const follow = (topic: string, decode: (record: Buffer) => Told) =>
    followTopic({
      log: store.log,
      topic,
      take: (record) => {
        try {
          waiting.push(decode(record.value));
          if (isFollowing) storing ??= remember();
        } catch (error) {
          onError(new RecordPassedOverError(record, error));
        }
      },
      onError,
    });
  /** The end of a reading counts only with its windows, which the log got before. */
  const untilWindowsCame = async (): Promise<void> => {
    for (const { end, begin, ...at } of await store.log.ranges(HISTORY_LISTED))
      if (end > begin) await windows.untilRead({ ...at, offset: end - 1 });
  };
  const remember = async (): Promise<void> => {
    const { signal } = stopping;
    const waits = { signal, onWait: onError, isFinal: isLost };
    try {
      while (waiting.length > 0) {
        await retryForever(untilWindowsCame, waits);
        const told = waiting.length;
        await retryForever(() => untilTransfersStored(store, signal), waits);
        for (const each of waiting.splice(0, told)) stored.put(each);
      }
    } catch (error) {
      if (!signal.aborted) onError(error);
    } finally {
      // In one step with the last look at what waits: later records start anew.
      storing = null;
    }
  };
  const windows = await follow(HISTORY_LISTED, histories.decodeListed);
  const read = await follow(WALLETS_READ, wallets.decodeRead);
  isFollowing = true;
  if (waiting.length > 0) storing = remember();
  return {
    now: () => asOf(stored, { chains, clock, known: stored.count }),
    stop: async () => {
      stopping.abort();
      await Promise.all([windows.stop(), read.stop()]);
      await storing;
    },
  };
};

type AsOf = { readonly chains: ReadonlySet<string>; readonly clock: Clock; readonly known: number };

const asOf = (stored: StoredHistories, { chains, clock, known }: AsOf): Backfills => ({
  canBackfill: (chain) => chains.has(chain),
  lastBackfill: (chain, wallet) => {
    const history = stored.whole.of(`${chain}:${wallet}`, known);
    if (history === null) return null;
    const { coverage, readAtUnixSeconds } = history;
    const age = clock.nowUnixMs() / 1_000 - readAtUnixSeconds;
    if (coverage === 'node_failed' && age > FAILED_FOR_SECONDS) return null;
    return { readAtUnixSeconds, missing: MISSING[coverage] ?? 'more' };
  },
  windows: (chain, address) => stored.windowsOf(chain, address, known),
  lastReading: (chain, address) => {
    const history = stored.last.of(`${chain}:${address}`, known);
    if (history === null) return null;
    const { place: number, coverage, readAtUnixSeconds } = history;
    return { number, coverage, readAtUnixSeconds };
  },
});

type Told = WalletRead | ListedWindow;

/** Each with its place: how many were stored before it. */
class StoredHistories {
  count = 0;
  readonly whole = new NewestReadings();
  readonly last = new NewestReadings();
  readonly #windows = new KnownWindows();
  readonly #places = new WeakMap<ListedWindow, number>();

  put(told: Told): void {
    const place = this.count++;
    if ('kinds' in told) {
      this.#places.set(told, place);
      this.#windows.add(told);
      return;
    }
    this.last.put({ ...told, place });
    if (!told.isPart) this.whole.put({ ...told, place });
  }

  windowsOf(chain: string, address: string, known: number): readonly ListedWindow[] {
    const all = this.#windows.of(chain, address);
    return all.filter((window) => (this.#places.get(window) ?? 0) < known);
  }
}

type Reading = WalletRead & { readonly place: number };

class NewestReadings {
  readonly #byAddress = new Map<string, Reading>();

  put(reading: Reading): void {
    const key = `${reading.chain}:${reading.wallet}`;
    this.#byAddress.delete(key);
    this.#byAddress.set(key, reading);
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > REMEMBERED_MAX && oldest !== undefined) this.#byAddress.delete(oldest);
  }

  of(key: string, known: number): Reading | null {
    const reading = this.#byAddress.get(key);
    return reading !== undefined && reading.place < known ? reading : null;
  }
}
