import type { Address } from '../model/address.ts';
import { answersByKey } from '../model/query.ts';
import type { Service } from '../model/trace-reader.ts';
import type { QueryContext } from './query-context.ts';

/** The service that each of the addresses belongs to. */
export const readServices = (
  addresses: Iterable<Address>,
  { reads, onChain }: QueryContext,
): Promise<ReadonlyMap<Address, Service>> => answersByKey(reads.services, onChain, [...new Set(addresses)]);

/** Which of them belong to this one. */
export const findWalletsOf = async (
  { entity }: Pick<Service, 'entity'>,
  addresses: Iterable<Address>,
  context: QueryContext,
): Promise<(address: Address) => boolean> => {
  const services = await readServices(addresses, context);
  return (address) => services.get(address)?.entity === entity;
};
