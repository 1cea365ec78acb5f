import type { Batch, Consumer, StoredRecord } from '../../platform/event-log/event-log.ts';
import { readIntent } from './plan-batch.ts';
import { type BatchStorage, createBatchStorage, type StorageOptions } from './store-batch.ts';

export type SinkOptions = StorageOptions & { readonly group: string; readonly topics: readonly string[] };

const POLL_MS = 250;
// Batches stored at the same time, of different partitions: while one is being read and sent, the engine works on another.
const LANES = 2;

/**
 * Moves block events from the log into the tables, each exactly once: what a batch will hold is committed as metadata
 * before the insert and repeated to the letter after a crash, and the engine knows a repeated batch by its token.
 * Runs until the signal. Throws `FencedError` when another sink took over.
 */
export const runSink = async (options: SinkOptions, signal: AbortSignal): Promise<void> => {
  const consumer = await options.log.consume({ group: options.group, topics: options.topics, signal });
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const storage = createBatchStorage(options, consumer, stop);
  const lanes = new Lanes(LANES, (error) => failed.abort(error));
  try {
    await finishInterrupted(options, consumer, storage);
    while (!stop.aborted) {
      const batch = await consumer.poll({ maxBytes: options.batchBytesMax, waitMs: POLL_MS });
      if (batch) await lanes.run(batch, (records) => storage.store(records));
    }
    throw stop.reason;
  } catch (error) {
    // Told to stop while the tables were out of reach: the intent is in the log, the next start finishes it.
    if (error !== signal.reason) throw error;
  } finally {
    await lanes.drain();
    await consumer.close();
  }
};

const finishInterrupted = async (
  options: SinkOptions,
  consumer: Consumer,
  storage: BatchStorage,
): Promise<void> => {
  for (const commit of consumer.resumedFrom) {
    const intent = readIntent(commit.metadata);
    if (!intent) continue;
    const records: StoredRecord[] = [];
    for (let offset = commit.offset; offset < intent.until; offset = (records.at(-1)?.offset ?? offset) + 1) {
      const more = await options.log.read({
        ...commit,
        offset,
        until: intent.until,
        maxBytes: options.batchBytesMax,
      });
      if (more.length === 0) {
        throw new Error(`records ${offset} to ${intent.until} of ${commit.topic} are gone from the log`);
      }
      records.push(...more);
    }
    await storage.repeat(records, intent);
  }
};

/** Runs a few batches at once, never two of one partition. */
class Lanes {
  readonly #count: number;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();
  /** Where the next batch of a partition must begin, once one was stored: a poll ahead may have begun elsewhere. */
  readonly #next = new Map<string, number>();

  constructor(count: number, onError: (error: unknown) => void) {
    this.#count = count;
    this.#onError = onError;
  }

  /** Waits for a lane and for the partition, then starts; `store` gives the offset that follows. */
  async run(
    { topic, partition, records }: Batch,
    store: (records: StoredRecord[]) => Promise<number>,
  ): Promise<void> {
    const key = `${topic}/${partition}`;
    await this.#running.get(key);
    while (this.#running.size >= this.#count) await Promise.race(this.#running.values());
    // Polled before the batch ahead of it had ended elsewhere than expected: the consumer was set back, poll again.
    if (this.#next.has(key) && this.#next.get(key) !== records[0]?.offset) return;
    const running = store([...records])
      .then((next) => void this.#next.set(key, next))
      .catch(this.#onError)
      .finally(() => this.#running.delete(key));
    this.#running.set(key, running);
  }

  async drain(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
