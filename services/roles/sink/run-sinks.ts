import { systemClock } from '../../platform/clock.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { type RunningAudit, startAudit } from '../ingest/start-audit.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import type { Store } from '../store/open-store.ts';
import { loadCuratedLabels } from './load-curated-labels.ts';
import { startHistories } from './start-histories.ts';
import { startLabels } from './start-labels.ts';
import { startLedgerSink } from './start-ledger-sink.ts';
import { startReferences } from './start-references.ts';
import { startRetraceResults } from './start-retrace-results.ts';
import { startSink } from './start-sink.ts';
import type { RunningSink } from './told-waits.ts';

export type RunningSinks = Pick<RunningSink, 'waitsSinceUnixMs'> & { readonly audit: RunningAudit };

/** The role `sink`: fills the tables, writes shipped labels, and audits both. */
export const runSinks = async (
  service: Pick<ServiceProcess, 'config' | 'logger' | 'metrics' | 'closing' | 'fail'>,
  store: Store,
  warehouse: Warehouse,
): Promise<RunningSinks> => {
  const { config, logger, metrics, closing, fail } = service;
  const into = { store, warehouse, logger, metrics };
  const sinks: Readonly<Record<string, RunningSink>> = {
    sink: startSink({ ...into, batchBytesMax: config.sinkBatchBytesMax }),
    labels: startLabels(into),
    references: startReferences(into),
    histories: startHistories(into),
    'ledger tables': startLedgerSink(into),
    'retrace results': startRetraceResults(into),
  };
  for (const [name, running] of Object.entries(sinks)) {
    closing(name, CLOSE.sink, () => running.stop());
    running.ended.catch(fail);
  }
  await loadCuratedLabels(store, systemClock, new AbortController().signal);
  // It compares log and tables, so it runs with the tables' owner.
  const audit = startAudit({ ...into, chains: config.chains });
  closing('audit', CLOSE.ingest, () => audit.stop());
  audit.ended.catch(fail);
  const waitsSinceUnixMs = (): number | null => {
    const waiting = Object.values(sinks).flatMap((running) => running.waitsSinceUnixMs() ?? []);
    return waiting.length > 0 ? Math.min(...waiting) : null;
  };
  metrics.watchSinkWait(waitsSinceUnixMs);
  return { audit, waitsSinceUnixMs };
};
