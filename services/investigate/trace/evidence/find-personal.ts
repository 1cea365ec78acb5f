import type { Address } from '../../model/address.ts';
import { isDepositAddress, passingKind } from '../../model/label.ts';
import type { Acquaintances } from '../candidate-set.ts';
import { askInChunks, type QueryContext } from '../query-context.ts';
import type { PaidTie } from './keep-paid.ts';

/**
 * Which ties are one person's: neither the traced wallet nor the go-between is one through whom everybody's money passes, such as a
 * bridge, a router or a contract, and of an exchange's wallets any that is not labelled as a customer's deposit address, however few of
 * those who pay them are indexed. Asks only where there are any ties.
 */
export const findPersonal = async (
  ties: readonly PaidTie[],
  { traced, services }: Pick<Acquaintances, 'services'> & { readonly traced: Address },
  { reader, limits }: QueryContext,
): Promise<(tie: PaidTie) => boolean> => {
  if (ties.length === 0) return () => true;
  const addresses = [...new Set([traced, ...ties.flatMap(({ between }) => between ?? [])])];
  const labels = new Map(
    await askInChunks(addresses, (chunk) => reader.labels({ ...limits, addresses: chunk })),
  );
  const isPassing = (address: Address): boolean => {
    const label = labels.get(address);
    if (label === undefined) return services.has(address);
    return passingKind(label) !== null && !isDepositAddress(label);
  };
  const isOfTraced = !isPassing(traced);
  return ({ between }) => isOfTraced && (between === undefined || !isPassing(between));
};
