import type { Config } from '../platform/config/config.ts';
import { createLogger } from '../platform/logger.ts';
import { startDraining } from '../roles/sink/drain-log.ts';
import type { Store } from '../roles/store/open-store.ts';
import { refuseUnfinishedRebuild } from '../roles/store/rebuild-marker.ts';
import type { Progress } from './reports/progress.ts';

/** For a command that continues afterwards. */
export const INTERRUPTED = 'interrupted: what is in the log stays; the same command goes on from here';

type Filling = { readonly config: Config; readonly progress: Progress; readonly signal: AbortSignal };

/**
 * Fills the tables with what `write` appends to the log, and waits until they hold all of it. An interrupt is
 * reported and is no error.
 */
export const fillTables = async (
  store: Store,
  filling: Filling,
  write: () => Promise<void> = async () => {},
): Promise<void> => {
  const { progress, signal } = filling;
  await refuseUnfinishedRebuild(store);
  try {
    await drain(store, filling, write);
  } catch (error) {
    // The terminal also interrupts a starting engine.
    if (!signal.aborted) throw error;
    progress.note(INTERRUPTED);
  } finally {
    progress.end();
  }
};

const drain = async (
  store: Store,
  { config, progress, signal }: Filling,
  write: () => Promise<void>,
): Promise<void> => {
  const logger = createLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel });
  const draining = await startDraining(store, { batchBytesMax: config.sinkBatchBytesMax, logger });
  if (draining.byOther) progress.note('a running server owns the tables and fills them');
  try {
    await write();
    await draining.untilEmpty(signal, (records) =>
      progress.update(`${records} records are not in the tables yet`),
    );
  } finally {
    await draining.stop();
  }
};
