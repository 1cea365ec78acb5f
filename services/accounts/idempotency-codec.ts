import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../platform/avro/tagged-codec.ts';
import type { IdempotencyEvent } from './bound-calls.ts';

/** What happened to the call that an id stands for. */
export type IdempotencyEntry = {
  readonly id: string;
  readonly atUnixMs: number;
  readonly event: IdempotencyEvent;
};

/** Records of idempotency keys as they lie in the log. Decoding throws where a record is of another schema or damaged. */
export type IdempotencyCodec = {
  encode(entry: IdempotencyEntry): Buffer;
  decode(record: Buffer): IdempotencyEntry;
};

export const openIdempotencyCodec = (registry: SchemaRegistry): Promise<IdempotencyCodec> =>
  openTaggedCodec<'event', IdempotencyEntry>(registry, 'IdempotencyEvent', 'event');
