import type { QueryContext } from '../query-context.ts';
import type { PaidTie } from './keep-paid.ts';

/**
 * Whether the shared funder was the first to pay one of the two wallets, dust aside. A wallet that pays a
 * shop and a friend funds neither. Other kinds of ties pass unchecked. Queries only when two wallets share a
 * funder.
 */
export const findFunded = async (
  ties: readonly PaidTie[],
  { reads, onChain, canonicalAssets, leastRaw }: QueryContext,
): Promise<(tie: PaidTie) => boolean> => {
  const isOfFunder = ({ evidence }: PaidTie): boolean => evidence.family === 'shared_funder';
  const payees = ties.filter(isOfFunder).flatMap(({ payments }) => payments.map(({ payee }) => payee));
  const sides = [...new Set(payees)].map((wallet) => ({ wallet, direction: 'in' as const }));
  const earliest = await reads.neighbours({ ...onChain, canonicalAssets, leastRaw, perSideMax: 1 }, sides);
  const first = new Map(earliest.flat().map(({ wallet, counterparty }) => [wallet, counterparty]));
  return (tie) => !isOfFunder(tie) || tie.payments.some(({ payer, payee }) => first.get(payee) === payer);
};
