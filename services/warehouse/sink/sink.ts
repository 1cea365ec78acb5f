import { setTimeout as sleep } from 'node:timers/promises';
import { type BlockHead, whyUnreadable } from '../../events/block-head.ts';
import { sequenceOf } from '../../events/event-sequence.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import { splitRecord } from '../../platform/avro/wire-format.ts';
import { deadLetter } from '../../platform/event-log/dead-letter.ts';
import type {
  Commit,
  Consumer,
  EventLog,
  Position,
  StoredRecord,
} from '../../platform/event-log/event-log.ts';
import { retryForever } from '../../platform/retry.ts';
import { createInspector, type Inspect } from './inspect-record.ts';
import {
  type Intent,
  type Plan,
  type PlannedRecord,
  planBatch,
  readIntent,
  writeIntent,
} from './plan-batch.ts';

/** An event on its way into the engine: its number, and its Avro body as the log holds it. */
export type SequencedRecord = { readonly sequence: number; readonly avro: Buffer };

export type SinkTarget = {
  /** Inserts one batch; the same token with the same records changes nothing the second time. */
  insert(records: readonly SequencedRecord[], token: string): Promise<void>;
  /** Which of these block parts the tables hold. */
  findStored(heads: readonly BlockHead[]): Promise<(head: BlockHead) => boolean>;
  /** Whether the engine will never take this batch, as opposed to not now. */
  isRefusal(error: unknown): boolean;
};

export type SinkEvents = {
  inserted(batch: {
    topic: string;
    records: number;
    bytes: number;
    duplicates: number;
    durationSeconds: number;
  }): void;
  deadLetter(letter: { topic: string; source: string; reason: string }): void;
  /** The tables or the registry are out of reach; asked again after `waitMs`. */
  waiting(reason: unknown, waitMs: number): void;
};

export type SinkOptions = {
  readonly log: EventLog;
  readonly registry: SchemaRegistry;
  readonly target: SinkTarget;
  readonly events: SinkEvents;
  readonly group: string;
  readonly topics: readonly string[];
  /** A batch is one insert and one part: large ones keep parts few, this bounds their memory. */
  readonly batchBytesMax: number;
  /** How long a small batch waits for more. */
  readonly lingerMs: number;
};

const POLL_MS = 250;

/**
 * Moves block events from the log into the tables, each exactly once: what a batch will hold is committed as metadata
 * before the insert and repeated to the letter after a crash, and the engine knows a repeated batch by its token.
 */
export class Sink {
  readonly #o: SinkOptions;
  readonly #inspect: Inspect;

  constructor(options: SinkOptions) {
    this.#o = options;
    this.#inspect = createInspector(options.registry);
  }

  /** Runs until the signal. Throws `FencedError` when another sink took over. */
  async run(signal: AbortSignal): Promise<void> {
    const consumer = await this.#o.log.consume({ group: this.#o.group, topics: this.#o.topics });
    try {
      for (const commit of consumer.resumedFrom) await this.#finishInterrupted(consumer, commit, signal);
      while (!signal.aborted) {
        const batch = await consumer.poll({ maxBytes: this.#o.batchBytesMax, waitMs: POLL_MS });
        if (batch) await this.#store(consumer, [...batch.records], signal);
      }
    } catch (error) {
      // Told to stop while the tables were out of reach: the intent is in the log, the next start finishes it.
      if (!signal.aborted || error !== signal.reason) throw error;
    } finally {
      await consumer.close();
    }
  }

  async #finishInterrupted(consumer: Consumer, commit: Commit, signal: AbortSignal): Promise<void> {
    const startedMs = performance.now();
    const intent = readIntent(commit.metadata);
    if (!intent) return;
    const records: StoredRecord[] = [];
    for (let offset = commit.offset; offset < intent.until; offset = (records.at(-1)?.offset ?? offset) + 1) {
      const more = await this.#o.log.read({
        ...commit,
        offset,
        until: intent.until,
        maxBytes: this.#o.batchBytesMax,
      });
      if (more.length === 0)
        throw new Error(`records ${offset} to ${intent.until} of ${commit.topic} are gone from the log`);
      records.push(...more);
    }
    await this.#insert(records, intent, signal);
    const refused = await this.#refusals(records.filter((r) => intent.skip.includes(r.offset)));
    const plan = { intent, duplicates: intent.skip.length - refused.length, deadLetters: refused };
    await this.#finish(consumer, records, plan, startedMs);
  }

  /** Stores what of these records makes whole blocks; the next poll starts behind it. */
  async #store(consumer: Consumer, records: StoredRecord[], signal: AbortSignal): Promise<void> {
    if (bytesOf(records) < this.#o.batchBytesMax / 4) {
      await sleep(this.#o.lingerMs);
      await this.#readOn(records);
    }
    const startedMs = performance.now();
    let plan = await this.#plan(records, signal);
    while (!plan) {
      // A block larger than a batch: nothing of it may be seen before all of it is in.
      if ((await this.#readOn(records)) === 0) await sleep(POLL_MS, undefined, { signal });
      plan = await this.#plan(records, signal);
    }
    await this.#intend(consumer, records, plan.intent);
    const unreadable = await this.#insert(records, plan.intent, signal);
    if (unreadable.size > 0) {
      plan = (await this.#plan(records, signal, unreadable)) ?? plan;
      await this.#intend(consumer, records, plan.intent);
      await this.#insert(records, plan.intent, signal);
    }
    await this.#finish(consumer, records, plan, startedMs);
  }

  async #plan(
    records: readonly StoredRecord[],
    signal: AbortSignal,
    unreadable?: Map<number, string>,
  ): Promise<Plan | null> {
    return this.#untilItWorks(signal, async () => {
      const planned = await Promise.all(
        records.map(async (record): Promise<PlannedRecord> => {
          const refused = unreadable?.get(record.offset);
          return refused === undefined ? this.#inspect(record) : { offset: record.offset, refused };
        }),
      );
      const heads = planned.flatMap((p) => (p.head ? [p.head] : []));
      const isStored = heads.length > 0 ? await this.#o.target.findStored(heads) : () => false;
      return planBatch(planned, isStored);
    });
  }

  async #intend(consumer: Consumer, records: readonly StoredRecord[], intent: Intent): Promise<void> {
    await consumer.commit({ ...startOf(records), metadata: writeIntent(intent) });
  }

  /** Inserts what the intent names; gives the reason of each unreadable record where these made the engine refuse it. */
  async #insert(
    records: readonly StoredRecord[],
    intent: Intent,
    signal: AbortSignal,
  ): Promise<Map<number, string>> {
    const skip = new Set(intent.skip);
    const kept = records.filter((r) => r.offset < intent.until && !skip.has(r.offset));
    if (kept.length === 0) return new Map();
    const batch = kept.map((r) => ({ sequence: sequenceOf(r), avro: splitRecord(r.value).body }));
    const { topic, partition, offset } = startOf(records);
    const token = `${topic}-${partition}-${offset}-${intent.until}-${kept.length}`;
    return this.#untilItWorks(signal, async () => {
      try {
        await this.#o.target.insert(batch, token);
        return new Map();
      } catch (error) {
        const unreadable = this.#o.target.isRefusal(error) ? findUnreadable(kept) : new Map();
        if (unreadable.size === 0) throw error;
        return unreadable;
      }
    });
  }

  async #finish(
    consumer: Consumer,
    records: readonly StoredRecord[],
    plan: Plan,
    startedMs: number,
  ): Promise<void> {
    const { topic, partition } = startOf(records);
    const { until } = plan.intent;
    const done = records.filter((r) => r.offset < until);
    const reasons = new Map(plan.deadLetters.map((d) => [d.offset, d.reason]));
    for (const record of done) {
      const reason = reasons.get(record.offset);
      if (reason === undefined) continue;
      const source = `${topic}/${partition}/${record.offset}`;
      await this.#o.log.append([deadLetter({ source, reason, original: record.value })]);
      this.#o.events.deadLetter({ topic, source, reason });
    }
    await consumer.commit({ topic, partition, offset: until, metadata: '' });
    consumer.seek({ topic, partition, offset: until });
    this.#o.events.inserted({
      topic,
      records: done.length,
      bytes: bytesOf(done),
      duplicates: plan.duplicates,
      durationSeconds: (performance.now() - startedMs) / 1_000,
    });
  }

  async #refusals(records: readonly StoredRecord[]): Promise<{ offset: number; reason: string }[]> {
    const unreadable = findUnreadable(records);
    const inspected = await Promise.all(records.map((r) => this.#inspect(r)));
    return inspected.flatMap(({ offset, refused }) => {
      const reason = refused ?? unreadable.get(offset);
      return reason === undefined ? [] : [{ offset, reason }];
    });
  }

  /** Appends what follows the last record, within the batch's bytes; gives how many came. */
  async #readOn(records: StoredRecord[]): Promise<number> {
    const last = records.at(-1);
    if (!last) return 0;
    const more = await this.#o.log.read({
      ...last,
      offset: last.offset + 1,
      maxBytes: this.#o.batchBytesMax,
    });
    records.push(...more);
    return more.length;
  }

  #untilItWorks<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
    return retryForever(action, { signal, onWait: this.#o.events.waiting });
  }
}

const bytesOf = (records: readonly StoredRecord[]): number =>
  records.reduce((sum, r) => sum + r.value.length, 0);

const startOf = ([first]: readonly StoredRecord[]): Position => {
  if (!first) throw new RangeError('a batch is never empty');
  return { topic: first.topic, partition: first.partition, offset: first.offset };
};

const findUnreadable = (records: readonly StoredRecord[]): Map<number, string> => {
  const reasons = new Map<number, string>();
  for (const { offset, value } of records) {
    const reason = whyUnreadable(value);
    if (reason !== null) reasons.set(offset, reason);
  }
  return reasons;
};
