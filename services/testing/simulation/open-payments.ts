import type { PaymentRequirements } from '@x402/core/types';
import { createAnswers } from '../../payments/book/answers.ts';
import { openPaymentBook } from '../../payments/book/payment-book.ts';
import type { PaymentCodec } from '../../payments/book/payment-codec.ts';
import { LIMITS } from '../../payments/limits.ts';
import type { Offers } from '../../payments/offer/offers.ts';
import { startReconciler } from '../../payments/settle/start-reconciler.ts';
import type { createPayments, Payments } from '../../payments/take-payment.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { Network } from './network.ts';
import { connectChain, type SimulatedChain } from './simulated-chain.ts';

export const TERMS: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '100000',
  payTo: `0x${'77'.repeat(20)}`,
  maxTimeoutSeconds: 300,
  extra: {},
};

/** One price, one network: what is offered is not what is tried here. */
const OFFERS: Offers = {
  make: async () => ({
    x402Version: 2,
    accepts: [TERMS],
    resource: { url: '', description: '', mimeType: '' },
  }),
  match: async () => ({ ok: true, requirements: TERMS, issuedUnixMs: null }),
};

/** The real taking of payments and its reconciler, as `startPayments` puts them together, over a simulated chain. */
export const openPayments = async (options: {
  create: typeof createPayments;
  log: EventLog;
  codec: PaymentCodec;
  chain: SimulatedChain;
  networks: Readonly<Record<'facilitator' | 'node', Network>>;
  clock: Clock;
  onError: (error: unknown) => void;
}): Promise<Payments> => {
  const { create, log, codec, chain, networks, clock, onError } = options;
  const { facilitator, node } = connectChain(chain, networks);
  const book = await openPaymentBook({ log, codec, clock, onError });
  const settling = { book, facilitator, chainOf: () => node, onError };
  startReconciler({ ...settling, log, clock, limits: LIMITS });
  return create({ ...settling, offers: OFFERS, answers: createAnswers(log), clock, limits: LIMITS });
};
