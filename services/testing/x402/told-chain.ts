import type { PaymentChain } from '../../payments/chains/payment-chain.ts';

/** A chain that says of every payment what it is told to, and shows the transactions that somebody names unless told otherwise. */
export const toldChain = (
  look: PaymentChain['look'],
  confirm: PaymentChain['confirm'] = async () => true,
): PaymentChain => ({ look, confirm, isContract: async () => false });
