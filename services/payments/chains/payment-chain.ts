import type { SignedPayment } from '../facilitator.ts';
import type { Reason } from '../reasons.ts';

/** What the chain itself says of a payment. */
export type ChainAnswer =
  | { readonly status: 'moved'; readonly transaction: string }
  | { readonly status: 'not_moved' }
  /** It has not, and the chain would not take it any more: expired, or taken back by the payer. */
  | { readonly status: 'cannot_move'; readonly reason: Reason };

export type PaymentChain = {
  /** Throws when the node is out of reach, or does not know. `sinceUnixMs`: the payment was not on chain before. */
  look(payment: SignedPayment, sinceUnixMs: number): Promise<ChainAnswer>;
  /** Whether this transaction, which somebody named, is the payment. Throws as `look` does. */
  confirm(payment: SignedPayment, transaction: string): Promise<boolean>;
  /** Whether the payer may sign otherwise than with a key of its own. Throws as `look` does. */
  isContract(payer: string): Promise<boolean>;
};
