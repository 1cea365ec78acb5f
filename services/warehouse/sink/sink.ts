import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch, StoredRecord } from '../../platform/event-log/event-log.ts';
import { holdGroup } from '../../platform/event-log/hold-group.ts';
import { releaseValues } from '../../platform/release-buffers.ts';
import { retryForever } from '../../platform/retry.ts';
import { readProgress } from './intent.ts';
import {
  type BatchStorage,
  bytesOf,
  createBatchStorage,
  type Rest,
  type StorageOptions,
} from './store-batch.ts';
import { createWaits } from './waits.ts';

export type SinkOptions = StorageOptions & {
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * A partition's small batch waits this long after its last one, or after the start, because an insert costs
   * the same for one row or a thousand.
   */
  readonly lingerMs: number;
  /** Aborts when no more records will come, so that nothing waits any more. */
  readonly hurry: AbortSignal;
};

const POLL_MS = 250;
/** A server that lacks replicas keeps an insert for minutes before it refuses it. */
const SLOW_MS = 8_000;
// Number of batches stored at the same time, from different partitions: while one is read and sent, the
// engine works on another.
const LANES = 2;
/** A batch is small below this fraction of the largest. */
const SMALL = 4;

/**
 * Moves block events from the log into the tables, each exactly once. A batch's content is committed as
 * metadata before the insert and repeated exactly after a crash, and the engine recognises a repeated batch
 * by its token. Runs until the signal. Throws `FencedError` when another sink took over.
 */
export const runSink = async (options: SinkOptions, signal: AbortSignal): Promise<void> => {
  const { log, group, topics, events } = options;
  const consumer = await holdGroup(log, {
    group,
    topics,
    signal,
    onWait: events.waiting,
    onRecovered: events.recovered,
  });
  if (!consumer) return;
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const waits = createWaits(events, stop, { slowAfterMs: SLOW_MS });
  const storage = createBatchStorage(options, consumer, waits);
  const lanes = new Lanes(LANES, (error) => failed.abort(error));
  const linger = createLinger(options, stop);
  const poll = { maxBytes: options.batchBytesMax, waitMs: POLL_MS };
  try {
    for (const commit of consumer.resumedFrom) {
      const { topic, partition, offset, metadata } = commit;
      await storage.resume({ topic, partition, offset }, readProgress(metadata));
    }
    await storage.deleteHidden();
    while (!stop.aborted) {
      const batch = await retryForever(() => consumer.poll(poll), waits());
      if (!batch) continue;
      await linger(batch);
      await lanes.run(batch, (records, rest) => storeAndRelease(storage, records, rest));
    }
    throw stop.reason;
  } catch (error) {
    // Stopped while the tables were unavailable: the intent is in the log, and the next start finishes it. A
    // wait that the signal cuts short throws its own error, not the signal's reason.
    if (!signal.aborted || (error !== signal.reason && !isAbort(error))) throw error;
  } finally {
    await lanes.drain();
    await consumer.close();
  }
};

const storeAndRelease = async (
  storage: BatchStorage,
  records: StoredRecord[],
  rest: Rest,
): Promise<number> => {
  const next = await storage.store(records, rest);
  releaseValues(records);
  return next;
};

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** While it waits every partition accumulates more, not only this one. */
const createLinger = ({ batchBytesMax, lingerMs, hurry }: SinkOptions, stop: AbortSignal) => {
  const startMs = performance.now();
  const lastMs = new Map<string, number>();
  const enough = AbortSignal.any([hurry, stop]);
  return async ({ topic, partition, records }: Batch): Promise<void> => {
    const key = `${topic}/${partition}`;
    const waitMs = (lastMs.get(key) ?? startMs) + lingerMs - performance.now();
    if (waitMs > 0 && bytesOf(records) < batchBytesMax / SMALL && !enough.aborted) {
      await sleep(waitMs, undefined, { signal: enough }).catch(() => {});
    }
    lastMs.set(key, performance.now());
  };
};

/** Runs a few batches at once, never two of one partition. */
class Lanes {
  readonly #count: number;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();
  /** Batches that wait for the rest of a block. They do not hold up other partitions. */
  readonly #resting = new Set<string>();
  #busy = 0;
  #freed = Promise.withResolvers<void>();
  /**
   * Where the next batch of a partition must begin, after one was stored: a poll ahead may have begun
   * elsewhere.
   */
  readonly #next = new Map<string, number>();

  constructor(count: number, onError: (error: unknown) => void) {
    this.#count = count;
    this.#onError = onError;
  }

  /** Waits for a lane and for the partition, then starts. `store` returns the offset that follows. */
  async run(
    { topic, partition, from, records }: Batch,
    store: (records: StoredRecord[], rest: Rest) => Promise<number>,
  ): Promise<void> {
    const key = `${topic}/${partition}`;
    while (this.#running.has(key)) {
      // It reads the records after its batch itself.
      if (this.#resting.has(key)) return;
      await this.#freed.promise;
    }
    while (this.#busy >= this.#count) await this.#freed.promise;
    // Polled before the previous batch ended elsewhere than expected. The consumer was set back, so poll
    // again.
    if (this.#next.has(key) && this.#next.get(key) !== from) return;
    this.#busy += 1;
    const running = store([...records], (action) => this.#rest(key, action))
      .then((next) => void this.#next.set(key, next))
      .catch(this.#onError)
      .finally(() => {
        this.#running.delete(key);
        this.#free();
      });
    this.#running.set(key, running);
  }

  async #rest(key: string, action: () => Promise<void>): Promise<void> {
    this.#resting.add(key);
    this.#free();
    await action().finally(() => {
      this.#resting.delete(key);
      this.#busy += 1;
    });
  }

  #free(): void {
    this.#busy -= 1;
    this.#freed.resolve();
    this.#freed = Promise.withResolvers<void>();
  }

  async drain(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
