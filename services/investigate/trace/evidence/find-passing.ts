import type { Address } from '../../model/address.ts';
import { isDepositAddress, passingKind } from '../../model/label.ts';
import { type Ask, askInChunks } from '../ask.ts';
import type { Acquaintances } from '../suspects.ts';
import type { PaidTie } from './keep-paid.ts';

/**
 * Through whom, of the traced wallet and the ties' go-betweens, everybody's money passes: bridges, routers, contracts, and of an exchange's
 * wallets all that are not labelled as a customer's deposit address, however few of those who pay them are indexed. Asks only where
 * there are any ties.
 */
export const findPassing = async (
  ties: readonly PaidTie[],
  { traced, services }: Pick<Acquaintances, 'services'> & { readonly traced: Address },
  { reader, limits }: Ask,
): Promise<ReadonlySet<Address>> => {
  if (ties.length === 0) return new Set();
  const addresses = [...new Set([traced, ...ties.flatMap(({ between }) => between ?? [])])];
  const labels = new Map(
    await askInChunks(addresses, (chunk) => reader.labels({ ...limits, addresses: chunk })),
  );
  const isPassing = (address: Address): boolean => {
    const label = labels.get(address);
    if (label === undefined) return services.has(address);
    return passingKind(label) !== null && !isDepositAddress(label);
  };
  return new Set(addresses.filter(isPassing));
};
