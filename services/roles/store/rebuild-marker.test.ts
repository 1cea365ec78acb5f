import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore } from './open-store.ts';
import { isRebuilding, markRebuild, refuseUnfinishedRebuild, unmarkRebuild } from './rebuild-marker.ts';

test('a rebuild is seen from its beginning to its end, also by processes with a folder of their own', async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const elsewhere = { ...store, folder: temporaryFolder() };
  const seen = () => Promise.all([isRebuilding(store), isRebuilding(elsewhere)]);
  expect(await seen()).toEqual([false, false]);
  await markRebuild(store);
  await markRebuild(store);
  expect(await seen()).toEqual([true, true]);
  await expect(refuseUnfinishedRebuild(elsewhere)).rejects.toMatchObject({ code: 'rebuild_unfinished' });
  await unmarkRebuild(store);
  expect(await seen()).toEqual([false, false]);
  await refuseUnfinishedRebuild(store);
});
