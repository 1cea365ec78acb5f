import { TOPICS } from '../../platform/event-log/topics.ts';
import type { Meter } from '../../platform/metrics.ts';

const INSERT_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Batch = {
  readonly topic: string;
  readonly records: number;
  readonly bytes: number;
  readonly durationSeconds: number;
};

export const sinkMetrics = (meter: Meter) => {
  const records = meter.counter(
    'spoor_sink_records_total',
    'Records of the event log inserted into tables.',
    ['topic'],
  );
  const bytes = meter.counter('spoor_sink_bytes_total', 'Bytes of these records.', ['topic']);
  const deadLetters = meter.counter('spoor_dead_letters_total', 'Records that can never be used.', ['topic']);
  const inserts = meter.histogram(
    'spoor_sink_insert_duration_seconds',
    'Time of one insert into the tables.',
    ['topic'],
    INSERT_SECONDS,
  );
  const waiting = meter.watchedGauge(
    'spoor_sink_waiting_seconds',
    'How long the tables have taken nothing that the event log holds for them; 0: they take it.',
    [],
  );
  // Alerts watch for the first: a counter that begins at 1 has not increased for Prometheus.
  for (const { name: topic } of TOPICS) deadLetters.inc({ topic }, 0);
  return {
    batchInserted: (batch: Batch): void => {
      const { topic } = batch;
      records.inc({ topic }, batch.records);
      bytes.inc({ topic }, batch.bytes);
      inserts.observe({ topic }, batch.durationSeconds);
    },
    watchSinkWait: (sinceUnixMs: () => number | null): void =>
      waiting(async () => {
        const since = sinceUnixMs();
        return [[{}, since === null ? 0 : (Date.now() - since) / 1_000]];
      }),
    deadLetter: ({ topic }: { topic: string }): void => deadLetters.inc({ topic }),
  };
};
