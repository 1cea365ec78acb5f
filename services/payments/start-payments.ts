import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import type { Clock } from '../platform/clock.ts';
import type { PaymentNetwork, X402 } from '../platform/config/x402.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { createAnswers } from './book/answers.ts';
import { openPaymentBook, type PaymentBook } from './book/payment-book.ts';
import { openPaymentCodec } from './book/payment-codec.ts';
import { createEvmChain } from './chains/evm-chain.ts';
import type { PaymentChain } from './chains/payment-chain.ts';
import { createSolanaChain } from './chains/solana-chain.ts';
import { checkReceivers } from './check-receivers.ts';
import type { PaymentEvent } from './decider/events.ts';
import { createFacilitator } from './facilitator.ts';
import { isSolana } from './is-solana.ts';
import { LIMITS, type PaymentLimits } from './limits.ts';
import { createMemoBinder } from './offer/bind-request.ts';
import { createOffers } from './offer/offers.ts';
import type { GiveCredits } from './settle/settle-payment.ts';
import { startReconciler } from './settle/start-reconciler.ts';
import { createPayments, type Payments } from './take-payment.ts';

export type RunningPayments = Payments & {
  /** Whether payments can be taken at the moment. */
  isReachable(): Promise<boolean>;
  stop(): Promise<void>;
};

type PaymentsOptions = {
  readonly log: EventLog;
  readonly registry: SchemaRegistry;
  readonly x402: X402;
  /** The secret that binds offers to requests, shared by all serving processes. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly giveCredits: GiveCredits;
  /** Called on every failure that a call survives. */
  readonly onError: (error: unknown) => void;
  /** Called for every event of this process that counts. */
  readonly onRecorded?: (event: PaymentEvent) => void;
  readonly limits?: Partial<PaymentLimits>;
};

export const openChains = ({ networks }: X402): ((network: string) => PaymentChain) => {
  const open = ({ network, rpcUrl }: PaymentNetwork): PaymentChain =>
    isSolana(network) ? createSolanaChain(rpcUrl) : createEvmChain(rpcUrl);
  const chains = new Map(networks.map((each) => [each.network as string, open(each)]));
  return (network) => {
    const chain = chains.get(network);
    if (chain === undefined) throw new Error(`no node is configured for ${network}`);
    return chain;
  };
};

/** The payments of a process. Resolves when all earlier payments are known. Throws `ConfigError`. */
export const startPayments = async (options: PaymentsOptions): Promise<RunningPayments> => {
  const { log, registry, x402, secret, clock, giveCredits, onError } = options;
  checkReceivers(x402.networks);
  const limits = { ...LIMITS, ...options.limits };
  const facilitator = createFacilitator({ url: x402.facilitatorUrl, limits, onError });
  const offers = createOffers({
    facilitator,
    networks: x402.networks,
    binder: createMemoBinder(secret),
    clock,
  });
  const book = await openPaymentBook({ log, codec: await openPaymentCodec(registry), clock, onError });
  const record: PaymentBook['record'] = async (wallet, key, ...events) => {
    const verdict = await book.record(wallet, key, ...events);
    const last = events.at(-1);
    if (verdict.counts && last) options.onRecorded?.(last);
    return verdict;
  };
  const settling = {
    book: { ...book, record },
    facilitator,
    chainOf: openChains(x402),
    giveCredits,
    onError,
  };
  const answers = createAnswers(log);
  const reconciler = startReconciler({ ...settling, log, clock, limits });
  return {
    ...createPayments({ ...settling, offers, answers, clock, limits }),
    isReachable: () =>
      facilitator.supported().then(
        () => book.isFollowing(),
        () => false,
      ),
    stop: async () => {
      await reconciler.stop();
      await book.stop();
    },
  };
};
