import type { PaymentEvent } from '../../payments/decider/events.ts';

type Claimed = Extract<PaymentEvent, { type: 'PaymentClaimed' }>;

/** A payment claimed for a call at that time: good for five minutes more, to be settled within half of them. */
export const claimOf = (
  claimId: string,
  { atUnixMs = Date.now(), ...fields }: Partial<Claimed> & { readonly atUnixMs?: number } = {},
): Claimed => ({
  type: 'PaymentClaimed',
  claimId,
  requestHash: 'request',
  network: 'eip155:8453',
  asset: '0xusdc',
  amountRaw: '100000',
  payTo: '0xus',
  signed: '{}',
  expiresUnixMs: atUnixMs + 300_000,
  deadlineUnixMs: atUnixMs + 150_000,
  paymentId: null,
  grant: null,
  ...fields,
});
