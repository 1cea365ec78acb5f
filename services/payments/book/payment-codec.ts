import type { Codec } from '../../platform/avro/codec.ts';
import type { SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../../platform/avro/tagged-codec.ts';
import type { PaymentEntry } from '../decider/events.ts';

/** Payment records in the log's format. */
export type PaymentCodec = Codec<PaymentEntry>;

export const openPaymentCodec = (registry: SchemaRegistry): Promise<PaymentCodec> =>
  openTaggedCodec<'event', PaymentEntry>(registry, 'PaymentEvent', 'event');
