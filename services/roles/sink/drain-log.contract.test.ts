import { expect, test } from 'vitest';
import { createLogger } from '../../platform/logger.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { blockOf } from '../../testing/sink-stage.ts';
import { sumTablesIn } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { DATABASE } from '../store/database.ts';
import { openStore } from '../store/open-store.ts';
import { startDraining } from './drain-log.ts';

test('tables whose owner ends without filling them are taken over and filled', async () => {
  const dataFolder = temporaryFolder();
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  const owner = await startEmbeddedWarehouse({ folder: store.warehouseFolder, database: DATABASE });
  const logger = createLogger({ level: 'silent' });
  const draining = await startDraining(store, { batchBytesMax: 1 << 20, logger });
  expect(draining.byOther).toBe(true);
  const [value = Buffer.alloc(0)] = store.encodeBlock(blockOf(1));
  await store.log.append([{ topic: 'transfers.history', key: 'solana:0', value }]);
  const lags: number[] = [];
  const empty = draining.untilEmpty(new AbortController().signal, (records) => void lags.push(records));
  await owner.close();
  await empty;
  expect(lags).toContain(1);
  await draining.stop();
  await store.close();
  expect((await sumTablesIn(store.warehouseFolder)).blocks?.rows).toBe('1');
});
