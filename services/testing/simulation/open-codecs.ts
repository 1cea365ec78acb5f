import { type IdempotencyCodec, openIdempotencyCodec } from '../../accounts/idempotency-codec.ts';
import { type LedgerCodec, openLedgerCodec } from '../../credits/ledger-codec.ts';
import { openPaymentCodec, type PaymentCodec } from '../../payments/book/payment-codec.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';

export type Codecs = {
  readonly ledger: LedgerCodec;
  readonly payments: PaymentCodec;
  readonly idempotency: IdempotencyCodec;
};

/** Opened once: a schema in a file of the folder is nothing that a history may change. */
export const openCodecs = async (folder: string): Promise<Codecs> => {
  const registry = openLocalRegistry(`${folder}/schemas.json`);
  return {
    ledger: await openLedgerCodec(registry),
    payments: await openPaymentCodec(registry),
    idempotency: await openIdempotencyCodec(registry),
  };
};
