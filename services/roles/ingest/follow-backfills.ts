import { openWalletEvents, WALLETS_READ, type WalletRead } from '../../events/wallet-events.ts';
import { isLost } from '../../ingest/until-written.ts';
import type { Backfill, Backfills } from '../../investigate/model/backfills.ts';
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
 * Which wallet histories were read and are in the tables. Only for followed chains, because no other nodes are
 * known.
 */
export const followBackfills = async (request: {
  store: Store;
  chains: readonly string[];
  clock: Clock;
  logger: Logger;
}): Promise<FollowedBackfills> => {
  const { store, clock, logger } = request;
  const chains = new Set(request.chains);
  const events = await openWalletEvents(store.registry);
  const stopping = new AbortController();
  const read = new Map<string, Stored>();
  let count = 0;
  const onError = (err: unknown): void =>
    logger.warn({ err }, 'reading the topic of wallet histories failed; trying again');
  const waiting: WalletRead[] = [];
  let storing: Promise<void> | null = null;
  const remember = async (): Promise<void> => {
    const { signal } = stopping;
    try {
      while (waiting.length > 0) {
        const told = waiting.length;
        await retryForever(() => untilTransfersStored(store, signal), {
          signal,
          onWait: onError,
          isFinal: isLost,
        });
        for (const history of waiting.splice(0, told)) put(read, { ...history, place: count++ });
      }
    } finally {
      // In one step with the last look at what waits: later records start anew.
      storing = null;
    }
  };
  const tell = (history: WalletRead): void => {
    waiting.push(history);
    storing ??= remember().catch((error: unknown) => {
      if (!stopping.signal.aborted) onError(error);
    });
  };
  const followed = await followTopic({
    log: store.log,
    topic: WALLETS_READ,
    take: (record) => {
      try {
        const history = events.decodeRead(record.value);
        if (!history.isPart) tell(history);
      } catch (error) {
        onError(new RecordPassedOverError(record, error));
      }
    },
    onError,
  });
  const asOf = (known: number): Backfills => ({
    canBackfill: (chain) => chains.has(chain),
    lastBackfill: (chain, wallet) => {
      const history = read.get(`${chain}:${wallet}`);
      if (history === undefined || history.place >= known) return null;
      const { coverage, readAtUnixSeconds } = history;
      const age = clock.nowUnixMs() / 1_000 - readAtUnixSeconds;
      if (coverage === 'node_failed' && age > FAILED_FOR_SECONDS) return null;
      return { readAtUnixSeconds, missing: MISSING[coverage] ?? 'more' };
    },
  });
  return {
    now: () => asOf(count),
    stop: async () => {
      stopping.abort();
      await followed.stop();
      await storing;
    },
  };
};

/** `place`: how many were stored before it. */
type Stored = WalletRead & { readonly place: number };

const put = (read: Map<string, Stored>, history: Stored): void => {
  const key = `${history.chain}:${history.wallet}`;
  read.delete(key);
  read.set(key, history);
  const [oldest] = read.keys();
  if (read.size > REMEMBERED_MAX && oldest !== undefined) read.delete(oldest);
};
