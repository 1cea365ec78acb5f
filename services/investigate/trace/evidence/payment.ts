import type { Address } from '../../model/address.ts';
import type { Neighbour } from '../../model/trace-reader.ts';
import { compareTransactions, type TransactionPosition } from '../../model/transfer-reader.ts';
import type { CandidateSet } from '../candidate-set.ts';

export type Payment = {
  readonly payer: Address;
  readonly payee: Address;
  readonly at: TransactionPosition;
};

export const toPayment = ({
  wallet,
  direction,
  counterparty,
  first,
}: Omit<Neighbour, 'transfers'>): Payment =>
  direction === 'in'
    ? { payer: counterparty, payee: wallet, at: first }
    : { payer: wallet, payee: counterparty, at: first };

/**
 * A payment received after the service was used did not fund that use. The anchor is the traced wallet's use;
 * matches are a candidate's.
 */
export const isBeforeUse = (
  { wallet: traced, anchor, byWallet }: CandidateSet,
  { wallet, first }: { readonly wallet: Address; readonly first: TransactionPosition },
): boolean => {
  const uses = wallet === traced ? [anchor] : (byWallet.get(wallet) ?? []);
  return uses.some((use) => compareTransactions(first, use) < 0);
};
