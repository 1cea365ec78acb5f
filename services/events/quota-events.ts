import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';

export const QUOTAS_USED = 'quotas.used';

/** What of a day's budget may have been used. */
export type QuotaUsed = {
  /** A hash of host and key. */
  readonly quota: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly calls: number;
};

export type QuotaEvents = {
  readonly used: (event: QuotaUsed) => AppendRecord;
  /** Throws if the record is another event or damaged. */
  readonly decodeUsed: (record: Buffer) => QuotaUsed;
};

export const openQuotaEvents = async (registry: SchemaRegistry): Promise<QuotaEvents> => {
  const codec = await openCodec<QuotaUsed>(registry, 'QuotaUsed');
  return {
    used: (event) => ({ topic: QUOTAS_USED, key: event.quota, value: codec.encode(event) }),
    decodeUsed: (record) => codec.decode(record),
  };
};
