import type { Address } from '../../model/address.ts';
import { bothSides, type Neighbour, ROWS_PER_COUNTERPARTY } from '../../model/trace-reader.ts';
import type { Counterparties } from '../candidate-set.ts';
import type { QueryContext } from '../query-context.ts';
import { readServices } from '../read-services.ts';
import { COUNTERPARTIES_MAX } from '../rules.ts';
import type { Search } from '../search.ts';

/** Counterparties of the traced wallet, and which of them are services. */
export const readCounterparties = async (
  { request, intermediary }: Search,
  context: QueryContext,
): Promise<Counterparties> => {
  const of = await readOwnNeighbours(request.wallet, context);
  const addresses = [...new Set(of.map(({ counterparty }) => counterparty))];
  const services = await readServices(addresses, context);
  const isOwn = (address: Address) => services.get(address)?.entity === intermediary.entity;
  return { of, complete: !isCut(of), services, ownPools: new Set(addresses.filter(isOwn)) };
};

/**
 * The wallet's counterparties without dust. Dust sent by or to strangers would crowd out others and their
 * later payments.
 */
export const readOwnNeighbours = async (
  wallet: Address,
  { reads, onChain, canonicalAssets, leastRaw }: QueryContext,
): Promise<readonly Neighbour[]> => {
  const asked = { ...onChain, canonicalAssets, leastRaw, perSideMax: COUNTERPARTIES_MAX };
  return (await reads.neighbours({ ...asked, fromBeginning: true }, bothSides([wallet]))).flat();
};

/** Whether there may be more on either side. */
const isCut = (neighbours: readonly Neighbour[]): boolean =>
  Object.values(Object.groupBy(neighbours, ({ direction }) => direction)).some(
    (side) =>
      side.length >= COUNTERPARTIES_MAX ||
      side.reduce((sum, { transfers }) => sum + transfers, 0) >= COUNTERPARTIES_MAX * ROWS_PER_COUNTERPARTY,
  );
