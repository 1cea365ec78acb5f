import { createMeter } from '../platform/metrics.ts';
import { apiMetrics } from './api/api-metrics.ts';
import { deriveMetrics } from './derive/derive-metrics.ts';
import { ingestMetrics } from './ingest/ingest-metrics.ts';
import { sinkMetrics } from './sink/sink-metrics.ts';
import { storeMetrics } from './store/store-metrics.ts';

/** What a process counts, whichever roles it has. Each role takes the functions it needs. */
export type Metrics = ReturnType<typeof createMetrics>;

export const createMetrics = () => {
  const meter = createMeter();
  const retries = meter.counter('spoor_retries_total', 'Failures that were tried again.', ['what']);
  const waits = meter.watchedGauge(
    'spoor_waiting_for',
    '1 while the process waits for a part of the service.',
    ['part'],
  );
  return {
    ...apiMetrics(meter),
    ...deriveMetrics(meter),
    ...ingestMetrics(meter),
    ...sinkMetrics(meter),
    ...storeMetrics(meter),
    /** `what` names the work that failed and is tried again, not the instance. */
    retried: (what: string): void => retries.inc({ what }),
    /** Parts of the service that the process waits for at this moment. */
    watchWaits: (read: () => readonly string[]): void =>
      waits(async () => read().map((part) => [{ part }, 1] as const)),
    expose: meter.expose,
  };
};
