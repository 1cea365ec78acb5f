import type { Address } from '../../model/address.ts';
import { isDepositAddress, passingKind } from '../../model/label.ts';
import { answersByKey } from '../../model/query.ts';
import type { Counterparties } from '../candidate-set.ts';
import type { QueryContext } from '../query-context.ts';
import type { PaidTie } from './keep-paid.ts';

/**
 * Which ties concern one person. Neither the traced wallet nor the go-between may be one that handles
 * everybody's money, such as a bridge, a router or a contract. An exchange's wallet counts only when it is
 * labelled as a customer's deposit address, however few of its payers are indexed. Queries only when there
 * are ties.
 */
export const findPersonal = async (
  ties: readonly PaidTie[],
  { traced, services }: Pick<Counterparties, 'services'> & { readonly traced: Address },
  { reads, onChain }: QueryContext,
): Promise<(tie: PaidTie) => boolean> => {
  if (ties.length === 0) return () => true;
  const addresses = [...new Set([traced, ...ties.flatMap(({ between }) => between ?? [])])];
  const labels = await answersByKey(reads.labels, onChain, addresses);
  const isPassing = (address: Address): boolean => {
    const label = labels.get(address);
    if (label === undefined) return services.has(address);
    return passingKind(label) !== null && !isDepositAddress(label);
  };
  const isOfTraced = !isPassing(traced);
  return ({ between }) => isOfTraced && (between === undefined || !isPassing(between));
};
