import type { FingerprintedLog } from '../../platform/avro/fingerprint-records.ts';
import type { SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import type { KafkaEngines } from '../../platform/config/kafka.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { WaitFor } from '../start-waits.ts';
import type { LogStats } from './store-metrics.ts';

export type StoreLog = FingerprintedLog<EventLog> & { stats(): LogStats };

export type LogRequest = {
  /** Where an embedded log lies. */
  readonly folder: string;
  /** null: in the folder. */
  readonly kafka: KafkaEngines | null;
  readonly maxQueuedBytes: number;
  readonly onError: (error: unknown) => void;
  readonly waitFor: WaitFor;
};

export type LogAndRegistry = { readonly log: StoreLog; readonly registry: SchemaRegistry };

export const RECORD_BYTES_MAX = 1 << 20;
