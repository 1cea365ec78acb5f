import { openCodec } from '../../platform/avro/codec.ts';
import type { SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import { fromBranch, toBranch } from '../../platform/avro/tagged-union.ts';
import type { PaymentEntry, PaymentEvent, Wallet } from '../decider/events.ts';

/** Payment records as they lie in the log. Decoding throws where a record is of another schema or damaged. */
export type PaymentCodec = { encode(entry: PaymentEntry): Buffer; decode(record: Buffer): PaymentEntry };

type EntryRecord = { wallet: Wallet; key: string; at_unix_ms: number; event: object };

export const openPaymentCodec = async (registry: SchemaRegistry): Promise<PaymentCodec> => {
  const codec = await openCodec<EntryRecord>(registry, 'PaymentEvent');
  return {
    encode: ({ wallet, key, atUnixMs, event }) =>
      codec.encode({ wallet, key, at_unix_ms: atUnixMs, event: toBranch(event) }),
    decode: (record) => {
      const { wallet, key, at_unix_ms: atUnixMs, event } = codec.decode(record);
      return { wallet, key, atUnixMs, event: fromBranch<PaymentEvent>(event) };
    },
  };
};
