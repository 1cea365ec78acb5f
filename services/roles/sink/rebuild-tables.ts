import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../platform/logger.ts';
import type { Warehouse, WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { countDerived, fingerprintTables, type TableFingerprint } from '../../warehouse/fingerprint.ts';
import { deriveStore } from '../derive/derive-store.ts';
import type { Store } from '../store/open-store.ts';
import { openEngine } from '../store/own-tables.ts';
import { startDraining } from './drain-log.ts';
import { LABEL_GROUP } from './start-labels.ts';
import { LEDGER_SINK_GROUP } from './start-ledger-sink.ts';
import { REFERENCE_GROUP } from './start-references.ts';
import { SINK_GROUP } from './start-sink.ts';

export type Rebuilt = {
  /** null where the old tables could not be read: the reason to rebuild them, perhaps. */
  readonly before: readonly TableFingerprint[] | null;
  readonly after: readonly TableFingerprint[];
  /** Rows of each table of facts that were derived again; null where there had been none. */
  readonly derived: Readonly<Record<string, number>> | null;
};

/** A rebuild was cut off: the tables hold only a part of the log, and nobody may answer from them. */
export class RebuildUnfinishedError extends Error {
  readonly code = 'rebuild_unfinished';
  constructor(folder: string) {
    super(
      `a rebuild of ${folder} was interrupted, its tables are incomplete: run "spoor rebuild" to its end first`,
    );
    this.name = 'RebuildUnfinishedError';
  }
}

const markerOf = (store: Pick<Store, 'folder'>): string => join(store.folder, 'rebuilding');

/** Throws `RebuildUnfinishedError` where a rebuild was begun and not ended. */
export const refuseUnfinishedRebuild = (store: Pick<Store, 'folder'>): void => {
  if (existsSync(markerOf(store))) throw new RebuildUnfinishedError(store.folder);
};

/**
 * Drops every table of a store and fills them again from its log, and those of facts from the others. The log is never touched, so that it can be run
 * again whatever happens meanwhile. Throws `WarehouseHeldError` or `GroupHeldError` while a service fills the tables.
 */
export const rebuildTables = async (
  store: Store,
  options: {
    batchBytesMax: number;
    logger: Logger;
    signal: AbortSignal;
    onLag: (records: number) => void;
  },
): Promise<Rebuilt> => {
  const { logger, signal } = options;
  const { before, hadFacts } = await dropTables(store, logger);
  const draining = await startDraining(store, options);
  try {
    await draining.untilEmpty(options.signal, options.onLag);
  } finally {
    await draining.stop();
  }
  const rebuilt = await withWarehouse(store, logger, async ({ writer }) => {
    const after = await fingerprintTables(writer);
    // Which blocks are final the service knows, not who rebuilds: what may be taken back it derives when it runs.
    if (hadFacts) await deriveStore({ store, writer, chains: [], signal });
    return { before, after, derived: hadFacts ? await countDerived(writer) : null };
  });
  rmSync(markerOf(store));
  return rebuilt;
};

const hasFacts = async (writer: WarehouseClient): Promise<boolean> =>
  Object.values(await countDerived(writer)).some((rows) => rows > 0);

type Dropped = Pick<Rebuilt, 'before'> & { readonly hadFacts: boolean };

const dropTables = async (store: Store, logger: Logger): Promise<Dropped> => {
  const unfinished = existsSync(markerOf(store));
  return withWarehouse(store, logger, async ({ writer, database }) => {
    const before = unfinished ? null : await fingerprintTables(writer).catch(() => null);
    // Where that cannot be known, deriving what nobody had asked for is the smaller harm.
    const hadFacts = unfinished || (await hasFacts(writer).catch(() => true));
    // Durable before anything is dropped: half-filled tables must never be taken for whole ones.
    const marker = openSync(markerOf(store), 'w');
    writeSync(marker, 'the tables are being filled again from the log\n');
    fsyncSync(marker);
    closeSync(marker);
    try {
      for (const group of [SINK_GROUP, LABEL_GROUP, REFERENCE_GROUP, LEDGER_SINK_GROUP])
        await store.log.forgetGroup(group);
    } catch (error) {
      // A service fills these tables on a server; they are still whole.
      if (!unfinished) rmSync(markerOf(store));
      throw error;
    }
    await writer.command({
      query: 'DROP DATABASE IF EXISTS {database:Identifier} SYNC',
      query_params: { database },
    });
    return { before, hadFacts };
  });
};

const withWarehouse = async <T>(
  store: Store,
  logger: Logger,
  action: (engine: Warehouse) => Promise<T>,
): Promise<T> => {
  const engine = await openEngine(store, logger);
  try {
    return await action(engine);
  } finally {
    await engine.close();
  }
};
