import type { Address } from '../model/address.ts';
import type { Service } from '../model/trace-reader.ts';
import { askInChunks, type QueryContext } from './query-context.ts';

/** The service that each of the addresses belongs to, in as many queries as needed. */
export const readServices = async (
  addresses: Iterable<Address>,
  { reader, onChain }: QueryContext,
): Promise<ReadonlyMap<Address, Service>> =>
  new Map(
    await askInChunks([...new Set(addresses)], (chunk) => reader.services({ ...onChain, addresses: chunk })),
  );

/** Which of them belong to this one. */
export const findWalletsOf = async (
  { entity }: Pick<Service, 'entity'>,
  addresses: Iterable<Address>,
  context: QueryContext,
): Promise<(address: Address) => boolean> => {
  const services = await readServices(addresses, context);
  return (address) => services.get(address)?.entity === entity;
};
