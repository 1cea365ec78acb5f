import type { SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../../platform/avro/tagged-codec.ts';
import type { PaymentEntry } from '../decider/events.ts';

/** Payment records as they lie in the log. Decoding throws where a record is of another schema or damaged. */
export type PaymentCodec = { encode(entry: PaymentEntry): Buffer; decode(record: Buffer): PaymentEntry };

export const openPaymentCodec = (registry: SchemaRegistry): Promise<PaymentCodec> =>
  openTaggedCodec<'event', PaymentEntry>(registry, 'PaymentEvent', 'event');
