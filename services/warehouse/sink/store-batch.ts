import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockHead } from '../../events/block-head.ts';
import { sequenceSlotOf } from '../../events/event-sequence.ts';
import type { LoneTransaction } from '../../events/lone-transaction.ts';
import type { SchemaRegistry } from '../../platform/avro/local-registry.ts';
import { type BuriedRecord, buryRecords } from '../../platform/event-log/bury-records.ts';
import {
  type Consumer,
  type EventLog,
  FencedError,
  LogClosedError,
  type Position,
  type StoredRecord,
} from '../../platform/event-log/event-log.ts';
import { retryForever } from '../../platform/retry.ts';
import type { Shown } from './find-shown.ts';
import { HeldBlocks } from './held-blocks.ts';
import type { SequencedRecord } from './insert-block-transfers.ts';
import { createInspector, type InspectedRecord } from './inspect-record.ts';
import {
  type Intent,
  type IsShown,
  type Plan,
  type PlannedRecord,
  planBatch,
  type StoredAs,
  writeIntent,
} from './plan-batch.ts';
import { refuseTorn } from './refuse-torn.ts';

export type SinkTarget = {
  /** Inserts one batch; the same token with the same records changes nothing the second time. */
  insert(records: readonly SequencedRecord[], token: string): Promise<void>;
  /** What the tables show of these blocks. */
  findShown(blocks: readonly Pick<BlockHead, 'chain' | 'blockNumber'>[]): Promise<Shown>;
  /** From now on nobody sees what these events brought or will bring; harmless to repeat. */
  hideRetracted(sequences: readonly number[]): Promise<void>;
  /** Deletes what is hidden of one partition, once it is much, between two of its batches. */
  deleteRetracted(partition: { slot: number }): Promise<number>;
};

export type SinkEvents = {
  inserted(batch: {
    topic: string;
    records: number;
    bytes: number;
    duplicates: number;
    durationSeconds: number;
  }): void;
  deadLetter(letter: BuriedRecord): void;
  /** The tables or the registry are out of reach; asked again after `waitMs`. */
  waiting(reason: unknown, waitMs: number): void;
};

export type StorageOptions = {
  readonly log: EventLog;
  readonly registry: SchemaRegistry;
  readonly target: SinkTarget;
  readonly events: SinkEvents;
  /** A batch is one insert and one part: large ones keep parts few, this bounds their memory. */
  readonly batchBytesMax: number;
};

export type BatchStorage = {
  /** Stores what of these records makes whole blocks, and gives the offset that follows. */
  store(records: StoredRecord[]): Promise<number>;
  /** Repeats a batch that a crash may have cut off anywhere. */
  repeat(records: readonly StoredRecord[], intent: Intent): Promise<void>;
};

const READ_AGAIN_MS = 250;

/** Somebody else stores in our place, or nobody can any more. */
const isFinal = (error: unknown): boolean => error instanceof FencedError || error instanceof LogClosedError;

/**
 * Stores batches of one consumer. Everything waits and tries again until the signal; then its reason is thrown, or
 * `FencedError` where another one took over meanwhile: nothing is inserted or deleted by who has not just proved, by a
 * commit, that the group is his.
 */
export const createBatchStorage = (
  options: StorageOptions,
  consumer: Consumer,
  signal: AbortSignal,
): BatchStorage => {
  const { log, target, events, batchBytesMax } = options;
  const inspect = createInspector(options.registry);
  const held = new HeldBlocks();
  const untilItWorks = <T>(action: () => Promise<T>): Promise<T> =>
    retryForever(action, { signal, onWait: events.waiting, isFinal });

  const inspectAll = async (records: readonly StoredRecord[]): Promise<readonly InspectedRecord[]> =>
    refuseTorn(await untilItWorks(() => Promise.all(records.map(inspect))));

  /** Appends what follows the last record, within the batch's bytes; gives how many came. */
  const readOn = async (records: StoredRecord[]): Promise<number> => {
    const last = startOf(records.slice(-1));
    const more = await log.read({ ...last, offset: last.offset + 1, maxBytes: batchBytesMax });
    for (const record of more) records.push(record);
    return more.length;
  };

  /** Reads on until the run holds at least one whole block: nothing of a block may be seen before all of it is in. */
  const completeRun = async (records: StoredRecord[]): Promise<readonly InspectedRecord[]> => {
    // What came since the batch was polled.
    if (bytesOf(records) < batchBytesMax / 2) await readOn(records);
    let inspected = await inspectAll(records);
    while (!planBatch(inspected, () => [])) {
      if ((await readOn(records)) === 0) await sleep(READ_AGAIN_MS, undefined, { signal });
      inspected = await inspectAll(records);
    }
    return inspected;
  };

  const findShown = async (inspected: readonly InspectedRecord[]): Promise<Shown> => {
    const blocks = blocksOf(inspected);
    return blocks.length > 0 ? untilItWorks(() => target.findShown(blocks)) : NOTHING_SHOWN;
  };

  const intend = async (records: readonly StoredRecord[], intent: Intent): Promise<void> =>
    consumer.commit({ ...startOf(records), metadata: writeIntent(intent) });

  const insert = async (
    records: readonly StoredRecord[],
    inspected: readonly InspectedRecord[],
    { intent, replacedBy }: { intent: Intent; replacedBy: Shown['replacedBy'] },
  ): Promise<void> => {
    const intended = inspected.filter((p) => p.offset < intent.until);
    const skip = new Set(intent.skip);
    const kept = intended.filter((p) => !skip.has(p.offset));
    // Before the blocks that follow them: for a moment a block may be missing, never two be seen in its place.
    const hidden = [...intended.flatMap((p) => p.retracts ?? []), ...replacedBy(headsOf(kept))];
    if (hidden.length > 0) await untilItWorks(() => target.hideRetracted(hidden));
    const batch = kept.flatMap((p) => p.insert ?? []);
    if (batch.length === 0) return;
    const { topic, partition, offset } = startOf(records);
    const token = `${topic}-${partition}-${offset}-${intent.until}-${batch.length}`;
    await untilItWorks(async () => {
      await intend(records, intent);
      await target.insert(batch, token);
    });
  };

  const bury = async (records: readonly StoredRecord[], plan: Plan): Promise<void> => {
    const reasons = new Map(plan.deadLetters.map((d) => [d.offset, d.reason]));
    const refused = records.flatMap((record) => {
      const reason = reasons.get(record.offset);
      return reason === undefined ? [] : [{ record, reason }];
    });
    await buryRecords(log, refused, events.deadLetter);
  };

  const finish = async (records: readonly StoredRecord[], plan: Plan, startedMs: number): Promise<number> => {
    const { topic, partition } = startOf(records);
    const { until } = plan.intent;
    const done = records.filter((r) => r.offset < until);
    await bury(done, plan);
    await consumer.commit({ topic, partition, offset: until, metadata: '' });
    consumer.seek({ topic, partition, offset: until });
    events.inserted({
      topic,
      records: done.length,
      bytes: bytesOf(done),
      duplicates: plan.duplicates,
      durationSeconds: (performance.now() - startedMs) / 1_000,
    });
    return until;
  };

  /** Leaves out what is stored or can never be, and inserts the rest. */
  const storePlanned = async (
    records: readonly StoredRecord[],
    inspected: readonly InspectedRecord[],
  ): Promise<Plan> => {
    const { storedAs, isShown, replacedBy } = await findShown(inspected);
    const plan = mustPlan(inspected, storedAs, isShown);
    await insert(records, inspected, { intent: plan.intent, replacedBy });
    return plan;
  };

  return {
    store: async (records) => {
      const startedMs = performance.now();
      const inspected = await completeRun(records);
      const plan = await held.hold(blocksOf(inspected), () => storePlanned(records, inspected));
      const next = await finish(records, plan, startedMs);
      if (inspected.some((p) => p.retracts ?? p.transaction)) {
        const at = startOf(records);
        await untilItWorks(async () => {
          await consumer.commit({ ...at, offset: next, metadata: '' });
          await target.deleteRetracted({ slot: sequenceSlotOf(at) });
        });
      }
      return next;
    },
    repeat: async (records, intent) => {
      const startedMs = performance.now();
      const inspected = await inspectAll(records);
      const { replacedBy } = await findShown(inspected);
      await insert(records, inspected, { intent, replacedBy });
      const skip = new Set(intent.skip);
      const skipped = inspected.filter((p) => skip.has(p.offset));
      const deadLetters = skipped.flatMap(({ offset, refused }) =>
        refused === undefined ? [] : [{ offset, reason: refused }],
      );
      const duplicates = intent.skip.length - deadLetters.length;
      await finish(records, { intent, duplicates, deadLetters }, startedMs);
    },
  };
};

const headsOf = (inspected: readonly PlannedRecord[]): BlockHead[] =>
  inspected.flatMap((p) => (p.head ? [p.head] : []));

/** The blocks that these are parts or transactions of. */
const blocksOf = (inspected: readonly PlannedRecord[]): (BlockHead | LoneTransaction)[] =>
  inspected.flatMap((p) => p.head ?? p.transaction ?? []);

const NOTHING_SHOWN: Shown = { storedAs: () => [], isShown: () => false, replacedBy: () => [] };

const mustPlan = (records: readonly PlannedRecord[], storedAs: StoredAs, isShown: IsShown): Plan => {
  const plan = planBatch(records, storedAs, isShown);
  if (!plan) throw new RangeError('a batch holds at least one whole block');
  return plan;
};

export const bytesOf = (records: readonly StoredRecord[]): number =>
  records.reduce((sum, r) => sum + r.value.length, 0);

const startOf = ([first]: readonly StoredRecord[]): Position => {
  if (!first) throw new RangeError('a batch is never empty');
  return { topic: first.topic, partition: first.partition, offset: first.offset };
};
