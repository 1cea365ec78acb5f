import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Config } from '../platform/config/config.ts';
import { chooseStore } from '../roles/store/choose-store.ts';
import { type Store, storeFolder } from '../roles/store/open-store.ts';
import { fillTables, INTERRUPTED } from './fill-tables.ts';
import { noteOfWorld } from './note-of-world.ts';
import { openToldStore } from './open-told-store.ts';
import type { Progress } from './reports/progress.ts';

export type ImportRun = {
  readonly config: Config;
  /** Checked before a store is created; null if only the log is read. */
  readonly path: string | null;
  readonly dryRun: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Reads the file into the store's log; null if a dry run would have to create one. */
  readonly read: (store: Store | null) => Promise<void>;
};

/** Reads a file into the log and then into the tables; returns the store's folder, if there is one. */
export const runImport = async ({
  config,
  path,
  dryRun,
  progress,
  signal,
  read,
}: ImportRun): Promise<string | null> => {
  if (path !== null) await access(path, constants.R_OK);
  const name = chooseStore(config);
  const note = noteOfWorld(name);
  if (note !== null) progress.note(note);
  // A dry run creates no store.
  const isTryOnly = dryRun && !existsSync(storeFolder(config.dataFolder, name));
  const store = isTryOnly ? null : await openToldStore(config, name);
  try {
    await read(store);
    if (store && !dryRun) await fillTables(store, { config, progress, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    progress.note(INTERRUPTED);
  } finally {
    await store?.close();
  }
  return store?.folder ?? null;
};
