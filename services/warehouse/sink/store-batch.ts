import { setTimeout as sleep } from 'node:timers/promises';
import { sequenceOf, sequenceSlotOf } from '../../events/event-sequence.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import { type SentDeadLetter, sendToDeadLetters } from '../../platform/event-log/dead-letters.ts';
import type { Consumer, EventLog, Position, StoredRecord } from '../../platform/event-log/event-log.ts';
import { retryForever } from '../../platform/retry.ts';
import { HeldBlocks } from './held-blocks.ts';
import type { SequencedRecord } from './insert-block-transfers.ts';
import { createInspector, type InspectedRecord } from './inspect-record.ts';
import { type Intent, type Progress, writeProgress } from './intent.ts';
import { type DeadLetter, deadLettersOf, type Plan, planBatch } from './plan-batch.ts';
import type { BlockName, BlockPlace, Shown } from './planned-record.ts';
import type { createWaits } from './waits.ts';

export type SinkTarget = {
  /** Inserts one batch. The same token with the same records changes nothing the second time. */
  insert(records: readonly SequencedRecord[], token: string): Promise<void>;
  /** The rows that the tables show at these places. */
  findShown(places: readonly BlockPlace[]): Promise<Shown>;
  /** Hides rows of these events, stored or not yet stored. Idempotent. */
  hideRetracted(sequences: readonly number[]): Promise<void>;
  /** From now on these blocks' copies in the tables cannot be retracted. Idempotent. */
  keepFinal(blocks: readonly BlockName[]): Promise<void>;
  /**
   * Deletes a part of the hidden rows below these ends, if there are many. Returns how many events these
   * were.
   */
  deleteRetracted(ends: readonly SlotEnd[]): Promise<number>;
};

/** The end of one partition: no insert of events with lower sequences is repeated any more. */
export type SlotEnd = { readonly slot: number; readonly end: number };

export type SinkEvents = {
  inserted(batch: {
    topic: string;
    records: number;
    bytes: number;
    duplicates: number;
    durationSeconds: number;
  }): void;
  deadLetter(letter: SentDeadLetter): void;
  /** The tables, the registry or the log are unavailable; retries after `waitMs`. */
  waiting(reason: unknown, waitMs: number): void;
  /** They answer again. */
  recovered?(): void;
};

export type StorageOptions = {
  readonly log: EventLog;
  readonly registry: SchemaRegistry;
  readonly target: SinkTarget;
  readonly events: SinkEvents;
  /** Each batch is one insert and one part. Large batches keep parts few; this limits their memory. */
  readonly batchBytesMax: number;
};

/** Runs an action during which the sink has nothing to do, so that others may work in its place. */
export type Rest = (action: () => Promise<void>) => Promise<void>;

export type BatchStorage = {
  /**
   * Stores the records that make complete blocks, and returns the offset that follows. Waits run inside
   * `rest`, so that others can work meanwhile.
   */
  store(records: StoredRecord[], rest: Rest): Promise<number>;
  /** Resumes at a commit: repeats a batch that a crash may have interrupted anywhere. */
  resume(position: Position, progress: Progress): Promise<void>;
  /**
   * Deletes hidden rows until few are left, because every query carries the whole set. Runs after all commits
   * were resumed.
   */
  deleteHidden(): Promise<void>;
};

const READ_AGAIN_MS = 250;

/** The records of a batch, preceded by the parts carried up to it. */
type Run = {
  /** The begin of the batch. */
  readonly at: Position;
  readonly carried: readonly StoredRecord[];
  readonly records: StoredRecord[];
};

/**
 * Stores the batches of one consumer. Everything waits and retries until the signal, and then throws its
 * reason, or `FencedError` when another sink took over. Nothing is inserted or deleted without a commit just
 * before it, which proves that this sink still has the group.
 */
export const createBatchStorage = (
  options: StorageOptions,
  consumer: Consumer,
  waits: ReturnType<typeof createWaits>,
): BatchStorage => {
  const { log, target, events, batchBytesMax } = options;
  const inspect = createInspector(options.registry);
  const held = new HeldBlocks();
  /** For each partition, parts before the committed offset whose blocks are not complete. */
  const carriedAt = new Map<string, readonly number[]>();
  /** For each partition, the offset up to which its batches are finished. */
  const finishedTo = new Map<string, Position>();
  const untilItWorks = <T>(action: () => Promise<T>): Promise<T> => retryForever(action, waits());

  const inspectAll = ({ carried, records }: Run): Promise<readonly InspectedRecord[]> =>
    untilItWorks(() => Promise.all([...carried, ...records].map(inspect)));

  const readCarried = async (at: Position): Promise<StoredRecord[]> => {
    const records: StoredRecord[] = [];
    for (const offset of carriedAt.get(keyOf(at)) ?? []) {
      const found = await untilItWorks(() => log.read({ ...at, offset, until: offset + 1, maxBytes: 1 }));
      records.push(...found);
    }
    return records;
  };

  /** Appends the records after the last one, within the batch's bytes. Returns how many. */
  const readOn = async ({ at, records }: Run): Promise<number> => {
    const offset = (records.at(-1)?.offset ?? at.offset) + 1;
    const more = await untilItWorks(() => log.read({ ...at, offset, maxBytes: batchBytesMax }));
    for (const record of more) records.push(record);
    return more.length;
  };

  /**
   * Reads on until the run contains at least one whole block, because no part of a block may be visible
   * before all of it.
   */
  const completeRun = async (run: Run, rest: Rest): Promise<readonly InspectedRecord[]> => {
    // Records that arrived since the batch was polled.
    if (bytesOf(run.records) < batchBytesMax / 2) await readOn(run);
    let inspected = await inspectAll(run);
    while (!planBatch(inspected, NOTHING_SHOWN)) {
      if ((await readOn(run)) === 0)
        await rest(() => sleep(READ_AGAIN_MS, undefined, { signal: waits().signal }));
      inspected = await inspectAll(run);
    }
    return inspected;
  };

  /** The records of a batch that was begun. */
  const readBatch = async (at: Position, until: number): Promise<Run> => {
    const records: StoredRecord[] = [];
    for (let { offset } = at; offset < until; offset = (records.at(-1)?.offset ?? offset) + 1) {
      const from = offset;
      const more = await untilItWorks(() =>
        log.read({ ...at, offset: from, until, maxBytes: batchBytesMax }),
      );
      if (more.length === 0)
        throw new Error(`records ${offset} to ${until} of ${at.topic} are gone from the log`);
      // One by one: very many tiny records exceed the maximum number of a call's arguments.
      for (const record of more) records.push(record);
    }
    return { at, carried: await readCarried(at), records };
  };

  const findShown = async (inspected: readonly InspectedRecord[]): Promise<Shown> => {
    const places = placesOf(inspected);
    return places.length > 0 ? untilItWorks(() => target.findShown(places)) : NOTHING_SHOWN;
  };

  const commit = (at: Position, intent: Intent | null): Promise<void> => {
    const metadata = writeProgress({ carried: carriedAt.get(keyOf(at)) ?? [], intent });
    const { topic, partition, offset } = at;
    return consumer.commit({ topic, partition, offset, metadata });
  };

  /**
   * Called when one partition's batches were just finished. A batch may have hidden events of any other, too.
   */
  const deleteHidden = async (at: Position): Promise<void> => {
    for (let isMuch = true; isMuch; ) {
      isMuch = await untilItWorks(async () => {
        await commit(at, null);
        const ends = [...finishedTo.values()].map((to) => ({
          slot: sequenceSlotOf(to),
          end: sequenceOf(to),
        }));
        return (await target.deleteRetracted(ends)) > 0;
      });
    }
  };

  const insert = async (
    { at }: Run,
    inspected: readonly InspectedRecord[],
    { intent, hide, keep }: Pick<Plan, 'intent' | 'hide' | 'keep'>,
  ): Promise<void> => {
    const intended = inspected.filter((p) => p.offset < intent.until);
    const left = new Set([...intent.skip, ...intent.carried]);
    // Before the blocks that replace them: for a moment a block may be missing, but two are never visible in
    // its place.
    if (keep.length > 0) await untilItWorks(() => target.keepFinal(keep));
    if (hide.length > 0) await untilItWorks(() => target.hideRetracted(hide));
    const batch = intended.flatMap((p) => (left.has(p.offset) ? [] : (p.insert ?? [])));
    if (batch.length === 0) return;
    const token = `${at.topic}-${at.partition}-${at.offset}-${intent.until}-${batch.length}`;
    await untilItWorks(async () => {
      await commit(at, intent);
      await target.insert(batch, token);
    });
  };

  const setAside = async ({ carried, records }: Run, deadLetters: readonly DeadLetter[]): Promise<void> => {
    const reasons = new Map(deadLetters.map((d) => [d.offset, d.reason]));
    const refused = [...carried, ...records].flatMap((record) => {
      const reason = reasons.get(record.offset);
      return reason === undefined ? [] : [{ record, reason }];
    });
    await sendToDeadLetters(log, refused, { tell: events.deadLetter, ...waits() });
  };

  const finish = async (
    run: Run,
    plan: Omit<Plan, 'hide' | 'keep'>,
    startedMs: number,
  ): Promise<Position> => {
    const { until, carried } = plan.intent;
    const next = { ...run.at, offset: until };
    const done = run.records.filter((r) => r.offset < until);
    await setAside(run, plan.deadLetters);
    carriedAt.set(keyOf(next), carried);
    await untilItWorks(() => commit(next, null));
    finishedTo.set(keyOf(next), next);
    consumer.seek(next);
    events.inserted({
      topic: next.topic,
      records: done.length,
      bytes: bytesOf(done),
      duplicates: plan.duplicates,
      durationSeconds: (performance.now() - startedMs) / 1_000,
    });
    return next;
  };

  /** Leaves out records that are already stored or never can be, and inserts the rest. */
  const storePlanned = async (run: Run, inspected: readonly InspectedRecord[]): Promise<Plan> => {
    const plan = planBatch(inspected, await findShown(inspected));
    if (!plan) throw new RangeError('a batch holds at least one whole block');
    await insert(run, inspected, plan);
    return plan;
  };

  return {
    store: async (records, rest) => {
      const startedMs = performance.now();
      const at = startOf(records);
      const run = { at, carried: await readCarried(at), records };
      const inspected = await completeRun(run, rest);
      const plan = await held.hold(placesOf(inspected), () => storePlanned(run, inspected));
      const next = await finish(run, plan, startedMs);
      if (plan.hide.length > 0) await deleteHidden(next);
      return next.offset;
    },
    resume: async (at, { carried, intent }) => {
      carriedAt.set(keyOf(at), carried);
      finishedTo.set(keyOf(at), at);
      if (!intent) return;
      const startedMs = performance.now();
      const run = await readBatch(at, intent.until);
      const inspected = await inspectAll(run);
      // Rows that it retracts or replaces were hidden before the intent was recorded.
      await insert(run, inspected, { intent, hide: [], keep: [] });
      const deadLetters = deadLettersOf(inspected, await findShown(inspected));
      const duplicates = intent.skip.length - deadLetters.length;
      await finish(run, { intent, duplicates, deadLetters }, startedMs);
    },
    deleteHidden: async () => {
      const [at] = finishedTo.values();
      if (at) await deleteHidden(at);
    },
  };
};

/** The places of the blocks that these are parts or transactions of, or retract. */
const placesOf = (inspected: readonly InspectedRecord[]): BlockPlace[] =>
  inspected.flatMap((p) => p.head ?? p.transaction ?? (p.retracts ? p.abandoned : []));

const NOTHING_SHOWN: Shown = { partsAt: () => [], aloneAt: () => [], isKeptFinal: () => false };

export const bytesOf = (records: readonly StoredRecord[]): number =>
  records.reduce((sum, r) => sum + r.value.length, 0);

const keyOf = ({ topic, partition }: Position): string => `${topic}/${partition}`;

const startOf = ([first]: readonly StoredRecord[]): Position => {
  if (!first) throw new RangeError('a batch is never empty');
  return { topic: first.topic, partition: first.partition, offset: first.offset };
};
