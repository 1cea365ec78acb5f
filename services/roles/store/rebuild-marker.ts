import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from './open-store.ts';

/** A rebuild runs, or was cut off: the tables hold only a part of the log, and nobody may answer from them. */
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

/** Nothing is read by it: its commit is what processes see that have another folder. */
const GROUP = 'rebuild';
const PLACE = { topic: 'transfers.head', partition: 0, offset: 0 };

const fileOf = (store: Pick<Store, 'folder'>): string => join(store.folder, 'rebuilding');

/** Whether a rebuild was begun and not ended, by whichever process. */
export const isRebuilding = async (store: Marked): Promise<boolean> =>
  existsSync(fileOf(store)) || (await store.log.commits(GROUP)).some(({ metadata }) => metadata !== '');

/** Throws `RebuildUnfinishedError` where a rebuild was begun and not ended. */
export const refuseUnfinishedRebuild = async (store: Marked): Promise<void> => {
  if (await isRebuilding(store)) throw new RebuildUnfinishedError(store.folder);
};

/** Durable when it resolves: half-filled tables must never be taken for whole ones. */
export const markRebuild = async (store: Marked): Promise<void> => {
  writeFileSync(fileOf(store), 'the tables are being rebuilt from the log\n', { flush: true });
  const consumer = await store.log.consume({ group: GROUP, topics: [PLACE.topic] });
  try {
    await consumer.commit({ ...PLACE, metadata: 'the tables are being filled again' });
  } finally {
    await consumer.close();
  }
};

/** The tables are whole again. */
export const unmarkRebuild = async (store: Marked): Promise<void> => {
  await store.log.forgetGroup(GROUP);
  rmSync(fileOf(store), { force: true });
};
