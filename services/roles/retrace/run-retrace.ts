import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { openJobCodec } from '../../retrace/job-codec.ts';
import { workOnJobs } from '../../retrace/work-on-jobs.ts';
import { createPriceReader } from '../../warehouse/read/assets/price.ts';
import { createTraceReader } from '../../warehouse/read/create-trace-reader.ts';
import { followLabels } from '../api/follow-labels.ts';
import type { Billing } from '../billing/start-billing.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import type { Store } from '../store/open-store.ts';
import { createJobLedger } from './job-ledger.ts';
import { createTraceAnchors } from './trace-anchors.ts';
import { withoutHaste } from './without-haste.ts';

/** The role `retrace`: traces the anchors of jobs beside interactive callers. */
export const runRetrace = (
  { logger, closing, fail }: Pick<ServiceProcess, 'logger' | 'closing' | 'fail'>,
  store: Store,
  warehouse: Warehouse,
  { ledger, accounts }: Billing,
): void => {
  const { log, registry } = store;
  const onError = (err: unknown): void => logger.error({ err }, 'work on jobs failed; trying again');
  const running = runUntilStopped(async (signal) => {
    const held = await followLabels({ store, logger });
    try {
      const client = withoutHaste(warehouse.reader);
      const trace = createTraceAnchors({
        reader: createTraceReader(client, systemClock, held),
        prices: createPriceReader(client),
        clock: systemClock,
        onError,
      });
      const { directory } = accounts;
      const jobLedger = createJobLedger({ log, codec: await openLedgerCodec(registry), ledger, directory });
      const codec = await openJobCodec(registry);
      await workOnJobs({ log, codec, clock: systemClock, ledger: jobLedger, trace, onError }, signal);
    } finally {
      await held.stop();
    }
  });
  closing('jobs', CLOSE.ingest, () => running.stop());
  running.ended.catch(fail);
};
