import type { ChainAnswer, PaymentChain } from '../../payments/chains/payment-chain.ts';
import type { Facilitator, SignedPayment } from '../../payments/facilitator.ts';
import { PaymentsUnavailableError } from '../../payments/payment-book.ts';
import { readAuthorization } from '../../payments/read-payment.ts';
import type { Settlement } from '../../payments/settlement.ts';
import type { Random } from '../world/random.ts';
import type { Network } from './network.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A transfer that waits this long may be mined after its facilitator has given up. */
const MINED_LATE_MS = 40_000;

/** Who owns what: an authorisation moves money once, until it expires, and never where there is none. */
export class SimulatedChain {
  /** Transactions by the nonce of their authorisation. */
  readonly moved = new Map<string, string>();
  /** Whoever pays from here has nothing by the time of the settlement. */
  readonly poor = new Set<string>();
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  settle({ payload }: SignedPayment): Settlement {
    const { nonce, from, validBefore } = readAuthorization(payload);
    if (this.poor.has(from)) return { status: 'failed', reason: 'insufficient_funds' };
    const move = (): void => {
      if (this.#time.nowMs < Number(validBefore) * 1_000) this.moved.set(nonce, `0x${nonce.slice(-8)}`);
    };
    const fate = this.#random.weighted([7, 2, 1]);
    if (fate === 1) this.#time.after(this.#random.between(0, MINED_LATE_MS), move, null);
    // Of one that was dropped nothing is ever heard.
    if (fate > 0) return { status: 'unknown' };
    move();
    const transaction = this.moved.get(nonce);
    return transaction === undefined ? { status: 'unknown' } : { status: 'settled', transaction };
  }

  look({ payload }: SignedPayment): ChainAnswer {
    const { nonce, validBefore } = readAuthorization(payload);
    const transaction = this.moved.get(nonce);
    if (transaction !== undefined) return { status: 'moved', transaction };
    return this.#time.nowMs < Number(validBefore) * 1_000
      ? { status: 'not_moved' }
      : { status: 'cannot_move', reason: 'payment_expired' };
  }
}

/** The facilitator and the node, as one process reaches them. */
export const connectChain = (
  chain: SimulatedChain,
  network: Network,
): { facilitator: Facilitator; node: PaymentChain } => {
  const unreachable = (): Error => new PaymentsUnavailableError('the facilitator');
  return {
    facilitator: {
      supported: () => Promise.reject(unreachable()),
      verify: ({ payload }) =>
        network.ask(() => ({ isValid: true, payer: readAuthorization(payload).from }), unreachable),
      settle: (signed) =>
        network.ask(() => chain.settle(signed), unreachable).catch(() => ({ status: 'unknown' })),
    },
    node: { look: (signed) => network.ask(() => chain.look(signed), unreachable) },
  };
};
