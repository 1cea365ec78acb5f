import { setTimeout as sleep } from 'node:timers/promises';
import { REFERENCE_TOPICS } from '../../events/reference-events.ts';
import { GroupHeldError } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { WarehouseHeldError } from '../../platform/warehouse-engine/warehouse-errors.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import type { Running } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
import { ownTables } from '../store/own-tables.ts';
import { HISTORY_GROUP, HISTORY_TOPICS, startHistories } from './start-histories.ts';
import { LABEL_GROUP, type RunningLabels, startLabels } from './start-labels.ts';
import { readLedgerLag, startLedgerSink } from './start-ledger-sink.ts';
import { REFERENCE_GROUP, startReferences } from './start-references.ts';
import { RETRACE_RESULT_GROUP, RETRACE_RESULT_TOPICS, startRetraceResults } from './start-retrace-results.ts';
import {
  BULK_LINGER_MS,
  type RunningTransferSink,
  SINK_GROUP,
  startSink,
  TRANSFER_TOPICS,
} from './start-sink.ts';

export type Draining = {
  /** Whether another process (a running server) owns and fills the tables. */
  readonly byOther: boolean;
  /** Resolves when the tables hold what the log holds; rejects when the sink failed or the signal aborts. */
  untilEmpty(signal: AbortSignal, onLag: (records: number) => void): Promise<void>;
  /** Stops filling and hands the engine over, which the caller closes; null if another process owns the tables. */
  handOver(): Promise<Warehouse | null>;
  stop(): Promise<void>;
};

type Options = { batchBytesMax: number; logger: Logger };
type OwnTables = {
  readonly sink: RunningTransferSink;
  readonly labels: RunningLabels;
  /** Those that need no look of their own. */
  readonly others: readonly Running[];
  /** Ends what fills them; the engine runs on unless that failed. */
  release(): Promise<Warehouse>;
};

const LOOK_MS = 50;
// The owner fills the tables continuously. After this long without progress its lease is checked.
const STALLED_MS = 3_000;

/** Brings a store's log into its tables: here, or by the server that owns them. */
export const startDraining = async (store: Store, options: Options): Promise<Draining> => {
  const lag = async () =>
    (await readLag(store.log, SINK_GROUP, TRANSFER_TOPICS)) +
    (await readLag(store.log, LABEL_GROUP, ['labels'])) +
    (await readLag(store.log, REFERENCE_GROUP, REFERENCE_TOPICS)) +
    (await readLag(store.log, HISTORY_GROUP, HISTORY_TOPICS)) +
    (await readLag(store.log, RETRACE_RESULT_GROUP, RETRACE_RESULT_TOPICS)) +
    (await readLedgerLag(store));
  let own = await takeTables(store, options);

  const untilEmpty: Draining['untilEmpty'] = async (signal, onLag) => {
    let least = Number.POSITIVE_INFINITY;
    let fellMs = performance.now();
    for (let records = await lag(); records > 0; records = await lag()) {
      onLag(records);
      if (records < least) fellMs = performance.now();
      least = records;
      if (!own && performance.now() - fellMs > STALLED_MS) {
        // The owner was ending when we started, so nobody fills the tables now.
        own = await takeTables(store, options);
        fellMs = performance.now();
      }
      own?.sink.hurry();
      const look = sleep(LOOK_MS, undefined, { signal });
      await (own
        ? Promise.race([look, ...[own.sink, own.labels, ...own.others].map(({ ended }) => ended)])
        : look);
    }
    while (own && !(await own.labels.isSettled()))
      await Promise.race([sleep(LOOK_MS, undefined, { signal }), own.labels.ended]);
  };
  const handOver = async () => (await own?.release()) ?? null;
  return {
    byOther: own === null,
    untilEmpty,
    handOver,
    stop: async () => (await handOver())?.close(),
  };
};

/** null if the tables belong to another process. */
const takeTables = async (store: Store, options: Options): Promise<OwnTables | null> => {
  // A server accepts any number of processes, so the log decides who fills the tables.
  if (store.server && (await isBeingRead(store))) return null;
  const warehouse = await ownUnlessHeld(store, options.logger);
  if (!warehouse) return null;
  const sink = startSink({ store, warehouse, lingerMs: BULK_LINGER_MS, ...options });
  const labels = startLabels({ store, warehouse, logger: options.logger });
  const others = [startReferences, startHistories, startLedgerSink, startRetraceResults].map((start) =>
    start({ store, warehouse, logger: options.logger }),
  );
  return {
    sink,
    labels,
    others,
    release: async () => {
      try {
        await Promise.all([sink, labels, ...others].map((running) => running.stop()));
        return warehouse;
      } catch (error) {
        await warehouse.close();
        throw error;
      }
    },
  };
};

const isBeingRead = async ({ log }: Store): Promise<boolean> => {
  try {
    const consumer = await log.consume({ group: SINK_GROUP, topics: TRANSFER_TOPICS, waitMs: 0 });
    await consumer.close();
    return false;
  } catch (error) {
    if (error instanceof GroupHeldError) return true;
    throw error;
  }
};

const ownUnlessHeld = async (store: Store, logger: Logger) => {
  try {
    return await ownTables(store, logger);
  } catch (error) {
    if (error instanceof WarehouseHeldError) return null;
    throw error;
  }
};
