import { setTimeout as sleep } from 'node:timers/promises';
import { LABEL_TOPIC } from '../../events/label-events.ts';
import { REFERENCE_TOPICS } from '../../events/reference-events.ts';
import type { Consumer } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Warehouse, WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { countDerived, fingerprintTables, type TableFingerprint } from '../../warehouse/fingerprint.ts';
import { deriveStore } from '../derive/derive-store.ts';
import type { Store } from '../store/open-store.ts';
import { openEngine } from '../store/own-tables.ts';
import { isRebuilding, markRebuild, unmarkRebuild } from '../store/rebuild-marker.ts';
import { NOTICE_MS } from '../store/refuse-while-rebuilt.ts';
import { startDraining } from './drain-log.ts';
import { HISTORY_GROUP, HISTORY_TOPICS } from './start-histories.ts';
import { LABEL_GROUP } from './start-labels.ts';
import { LEDGER_SINK_GROUP } from './start-ledger-sink.ts';
import { REFERENCE_GROUP } from './start-references.ts';
import { RETRACE_RESULT_GROUP, RETRACE_RESULT_TOPICS } from './start-retrace-results.ts';
import { SINK_GROUP, TRANSFER_TOPICS } from './start-sink.ts';

export type Rebuilt = {
  /** null if there were no tables, as after a restore, or they could not be read, perhaps the reason for the rebuild. */
  readonly before: readonly TableFingerprint[] | null;
  /** null if the new ones could not be read in time. They are complete all the same. */
  readonly after: readonly TableFingerprint[] | null;
  /** Rows of each derived table; null if there were none before, or deriving failed. */
  readonly derived: Readonly<Record<string, number>> | null;
};

/** All processes that fill the tables. */
const FILLING: readonly { readonly group: string; readonly topics: readonly string[] }[] = [
  { group: SINK_GROUP, topics: TRANSFER_TOPICS },
  { group: LABEL_GROUP, topics: [LABEL_TOPIC] },
  { group: REFERENCE_GROUP, topics: REFERENCE_TOPICS },
  { group: HISTORY_GROUP, topics: HISTORY_TOPICS },
  { group: LEDGER_SINK_GROUP, topics: ['ledger.events'] },
  { group: RETRACE_RESULT_GROUP, topics: RETRACE_RESULT_TOPICS },
];

/**
 * Drops all tables of a store and fills them from the log, then derives facts. The log is never changed, so it can
 * be repeated. Throws `WarehouseHeldError` or `GroupHeldError` while a service fills the tables.
 */
export const rebuildTables = async (
  store: Store,
  options: {
    batchBytesMax: number;
    logger: Logger;
    signal: AbortSignal;
    onLag: (records: number) => void;
    /** The tables are filled; facts are derived and everything is compared. */
    onFilled: () => void;
  },
): Promise<Rebuilt> => {
  const { logger, signal } = options;
  const { before, hadFacts } = await dropTables(store, logger, signal);
  const draining = await startDraining(store, options);
  try {
    await draining.untilEmpty(options.signal, options.onLag);
    options.onFilled();
  } catch (error) {
    await draining.stop();
    throw error;
  }
  const engine = (await draining.handOver()) ?? (await openEngine(store, logger));
  return closing(engine, async ({ writer }) => {
    const derived = hadFacts ? await deriveAgain(store, writer, options) : null;
    // The tables are complete. A failed comparison must not keep the service away.
    await unmarkRebuild(store);
    const after = await fingerprintTables(writer).catch((err: unknown) => {
      logger.warn({ err }, 'the tables are rebuilt, but could not be compared with those before');
      return null;
    });
    return { before, after, derived };
  });
};

/**
 * Only the service knows which blocks are final, so it derives the rest when it runs. If deriving fails here, the
 * service repeats it; a marker left behind would keep the service away for ever.
 */
const deriveAgain = async (
  store: Store,
  writer: WarehouseClient,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<Rebuilt['derived']> => {
  try {
    await deriveStore({ store, writer, chains: [], signal });
    return await countDerived(writer);
  } catch (err) {
    signal.throwIfAborted();
    logger.warn({ err }, 'the tables are rebuilt without derived facts; the running service derives them');
    return null;
  }
};

const hasFacts = async (writer: WarehouseClient): Promise<boolean> =>
  Object.values(await countDerived(writer)).some((rows) => rows > 0);

type Dropped = Pick<Rebuilt, 'before'> & { readonly hadFacts: boolean };

const dropTables = async (store: Store, logger: Logger, signal: AbortSignal): Promise<Dropped> => {
  const unfinished = await isRebuilding(store);
  return closing(await openEngine(store, logger), async ({ writer, database }) => {
    const known = await whileNobodyFills(store, async () => {
      const old = unfinished ? null : await fingerprintTables(writer).catch(() => null);
      const before = old?.length ? old : null;
      // If that is unknown, deriving too much is the smaller harm.
      const hadFacts = unfinished || (await hasFacts(writer).catch(() => true));
      await announce(store, signal, unfinished);
      return { before, hadFacts };
    });
    for (const { group } of FILLING) await store.log.forgetGroup(group);
    await writer.command({
      query: 'DROP DATABASE IF EXISTS {database:Identifier} SYNC',
      query_params: { database },
    });
    return known;
  });
};

/** Holds all groups at once; nothing has changed if a service has one of them. Throws `GroupHeldError`. */
const whileNobodyFills = async <T>({ log }: Store, action: () => Promise<T>): Promise<T> => {
  const held: Consumer[] = [];
  try {
    for (const group of FILLING) held.push(await log.consume({ ...group, waitMs: 0 }));
    return await action();
  } finally {
    for (const consumer of held) await consumer.close();
  }
};

/** Processes that answer from a server's tables look for the marker from time to time. */
const announce = async (store: Store, signal: AbortSignal, unfinished: boolean): Promise<void> => {
  await markRebuild(store);
  try {
    if (store.server) await sleep(NOTICE_MS, undefined, { signal });
  } catch (error) {
    // Stopped while the old tables are still complete.
    if (!unfinished) await unmarkRebuild(store);
    throw error;
  }
};

const closing = async <T>(engine: Warehouse, action: (engine: Warehouse) => Promise<T>): Promise<T> => {
  try {
    return await action(engine);
  } finally {
    await engine.close();
  }
};
