import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from './open-store.ts';

/** A rebuild runs or was interrupted: the tables are incomplete and nobody may answer from them. */
export class RebuildUnfinishedError extends Error {
  readonly code = 'rebuild_unfinished';
  constructor(folder: string) {
    super(
      `a rebuild of ${folder} runs or was interrupted, its tables are incomplete: run "spoor rebuild" to its end first`,
    );
    this.name = 'RebuildUnfinishedError';
  }
}

type Marked = Pick<Store, 'folder' | 'log'>;

/** Nothing reads from it; its commit tells processes with other folders. */
const GROUP = 'rebuild';
const PLACE = { topic: 'transfers.head', partition: 0, offset: 0 };

const fileOf = (store: Pick<Store, 'folder'>): string => join(store.folder, 'rebuilding');

/** Whether some process started a rebuild and did not finish it. */
export const isRebuilding = async (store: Marked): Promise<boolean> =>
  existsSync(fileOf(store)) || (await store.log.commits(GROUP)).some(({ metadata }) => metadata !== '');

/** Throws `RebuildUnfinishedError` if a rebuild was started and not finished. */
export const refuseUnfinishedRebuild = async (store: Marked): Promise<void> => {
  if (await isRebuilding(store)) throw new RebuildUnfinishedError(store.folder);
};

/** Resolves when durable: half-filled tables must never count as complete. */
export const markRebuild = async (store: Marked): Promise<void> => {
  writeFileSync(fileOf(store), 'the tables are being rebuilt from the log\n', { flush: true });
  const consumer = await store.log.consume({ group: GROUP, topics: [PLACE.topic] });
  try {
    await consumer.commit({ ...PLACE, metadata: 'the tables are being filled again' });
  } finally {
    await consumer.close();
  }
};

/** The tables are complete again. */
export const unmarkRebuild = async (store: Marked): Promise<void> => {
  await store.log.forgetGroup(GROUP);
  rmSync(fileOf(store), { force: true });
};
