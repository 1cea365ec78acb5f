import { systemClock } from '../../platform/clock.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import type { Store } from '../store/open-store.ts';
import { logProgress } from './log-progress.ts';
import { type ChainToFollow, type RunningIngest, startIngest } from './start-ingest.ts';
import { startWallets } from './start-wallets.ts';

/** The roles `ingest-…`: chains into the log, and wallet histories on demand. */
export const runIngest = (
  { logger, metrics, closing, fail }: ServiceProcess,
  store: Store,
  chains: readonly ChainToFollow[],
): RunningIngest => {
  const ingest = startIngest({ store, chains, logger, metrics, clock: systemClock });
  ingest.ended.catch(fail);
  const wallets = startWallets({ store, chains, logger, metrics, clock: systemClock });
  wallets.ended.catch(fail);
  const told = logProgress(ingest.progress, logger, systemClock);
  closing('ingest', CLOSE.ingest, async () => {
    told.stop();
    await Promise.all([ingest.stop(), wallets.stop()]);
  });
  return ingest;
};
