import type { Config } from '../platform/config/config.ts';
import { createLogger } from '../platform/logger.ts';
import { startDraining } from '../roles/sink/drain-log.ts';
import type { Store } from '../roles/store/open-store.ts';
import { refuseUnfinishedRebuild } from '../roles/store/rebuild-marker.ts';
import type { Progress } from './reports/progress.ts';

type Filling = { readonly config: Config; readonly progress: Progress; readonly signal: AbortSignal };

/** Has the tables filled with what `write` puts into the log, until they hold all of it. Being interrupted is told, and no error. */
export const fillTables = async (
  store: Store,
  { config, progress, signal }: Filling,
  write: () => Promise<void>,
): Promise<void> => {
  await refuseUnfinishedRebuild(store);
  const logger = createLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel });
  const draining = await startDraining(store, { batchBytesMax: config.sinkBatchBytesMax, logger });
  if (draining.byOther) progress.note('a running server owns the tables and fills them');
  try {
    await write();
    await draining.untilEmpty(signal, (records) =>
      progress.update(`into the tables: ${records} records to go`),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    progress.note('interrupted: what is in the log stays; the same command goes on from here');
  } finally {
    progress.end();
    await draining.stop();
  }
};
