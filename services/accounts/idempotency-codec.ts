import type { Codec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../platform/avro/tagged-codec.ts';
import type { IdempotencyEvent } from './bound-calls.ts';

/** What happened to the call that an id is bound to. */
type IdempotencyEntry = { readonly id: string; readonly atUnixMs: number; readonly event: IdempotencyEvent };

/** Records of idempotency keys in the log's format. */
export type IdempotencyCodec = Codec<IdempotencyEntry>;

export const openIdempotencyCodec = (registry: SchemaRegistry): Promise<IdempotencyCodec> =>
  openTaggedCodec<'event', IdempotencyEntry>(registry, 'IdempotencyEvent', 'event');
