import type { SignedPayment } from '../facilitator.ts';
import type { Reason } from '../reasons.ts';

/** What the chain says of a payment. */
export type ChainAnswer =
  | { readonly status: 'moved'; readonly transaction: string }
  | { readonly status: 'not_moved' }
  /** It did not move and never will: it has expired, or the payer cancelled it. */
  | { readonly status: 'cannot_move'; readonly reason: Reason };

export type PaymentChain = {
  /** Throws if the node is out of reach or does not know. `sinceUnixMs`: the payment was not on chain before. */
  look(payment: SignedPayment, sinceUnixMs: number): Promise<ChainAnswer>;
  /** Whether this transaction, which a third party named, is the payment. Throws as `look` does. */
  confirm(payment: SignedPayment, transaction: string): Promise<boolean>;
  /** Whether the payer is a contract, which may accept other signatures. Throws as `look` does. */
  isContract(payer: string): Promise<boolean>;
};
