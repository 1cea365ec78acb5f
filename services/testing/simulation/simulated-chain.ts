import type { Random } from '../../demo-world/random.ts';
import { PaymentsUnavailableError } from '../../payments/book/payment-book.ts';
import type { ChainAnswer, PaymentChain } from '../../payments/chains/payment-chain.ts';
import type { Facilitator, SignedPayment } from '../../payments/facilitator.ts';
import { readAuthorization } from '../../payments/offer/read-payment.ts';
import type { Settlement } from '../../payments/settle/settlement.ts';
import type { Network } from './network.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A transfer that waits this long may be mined after its facilitator has given up. */
const MINED_LATE_MS = 40_000;

type Transfer = { readonly to: string; readonly value: string; readonly transaction: string };
type Terms = Pick<SignedPayment['requirements'], 'payTo' | 'amount'>;

/** Who owns what: a nonce moves money once, until its authorisation expires, and never where there is none. */
export class SimulatedChain {
  /** By the nonce that it used. */
  readonly #transfers = new Map<string, Transfer>();
  /** Whoever pays from here has nothing by the time of the settlement. */
  readonly poor = new Set<string>();
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  /** The transaction in which this nonce moved what was asked for to whom it was asked for. */
  findPayment(nonce: string, { payTo, amount }: Terms): string | undefined {
    const transfer = this.#transfers.get(nonce);
    return transfer?.to === payTo && transfer.value === amount ? transfer.transaction : undefined;
  }

  /** The first to use a nonce has it. */
  transfer(nonce: string, to: string, value: string): void {
    if (this.#transfers.has(nonce)) return;
    this.#transfers.set(nonce, { to, value, transaction: `0x${to.slice(2, 4)}${nonce.slice(-8)}` });
  }

  settle({ payload, requirements }: SignedPayment): Settlement {
    const { nonce, from, to, value, validBefore } = readAuthorization(payload);
    if (this.poor.has(from)) return { status: 'failed', reason: 'insufficient_funds' };
    const move = (): void => {
      if (this.#time.nowMs < Number(validBefore) * 1_000) this.transfer(nonce, to, value);
    };
    const fate = this.#random.weighted([7, 2, 1]);
    if (fate === 1) this.#time.after(this.#random.between(0, MINED_LATE_MS), move, null);
    // Of one that was dropped nothing is ever heard.
    if (fate > 0) return { status: 'unknown' };
    move();
    const transaction = this.findPayment(nonce, requirements);
    return transaction === undefined ? { status: 'unknown' } : { status: 'settled', transaction };
  }

  look({ payload, requirements }: SignedPayment): ChainAnswer {
    const { nonce, validBefore } = readAuthorization(payload);
    const transaction = this.findPayment(nonce, requirements);
    if (transaction !== undefined) return { status: 'moved', transaction };
    if (this.#transfers.has(nonce)) return { status: 'cannot_move', reason: 'payment_already_used' };
    return this.#time.nowMs < Number(validBefore) * 1_000
      ? { status: 'not_moved' }
      : { status: 'cannot_move', reason: 'payment_expired' };
  }
}

/** The facilitator and the node, as one process reaches them. */
export const connectChain = (
  chain: SimulatedChain,
  networks: Readonly<Record<'facilitator' | 'node', Network>>,
): { facilitator: Facilitator; node: PaymentChain } => {
  const unreachable = (): Error => new PaymentsUnavailableError('nobody answers');
  return {
    facilitator: {
      supported: () => Promise.reject(unreachable()),
      verify: ({ payload }) =>
        networks.facilitator.ask(
          () => ({ isValid: true, payer: readAuthorization(payload).from }),
          unreachable,
        ),
      settle: (signed) =>
        networks.facilitator
          .ask(() => chain.settle(signed), unreachable)
          .catch(() => ({ status: 'unknown' })),
    },
    node: {
      look: (signed) => networks.node.ask(() => chain.look(signed), unreachable),
      confirm: (signed, transaction) =>
        networks.node.ask(() => {
          const found = chain.look(signed);
          return found.status === 'moved' && found.transaction === transaction;
        }, unreachable),
      // Simulated wallets sign nothing that anybody could check.
      isContract: async () => true,
    },
  };
};
