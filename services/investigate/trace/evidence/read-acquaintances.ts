import type { Address } from '../../model/address.ts';
import { bothSides, type Neighbour, ROWS_PER_ACQUAINTANCE } from '../../model/trace-reader.ts';
import type { Ask } from '../ask.ts';
import { readServices } from '../read-services.ts';
import { ACQUAINTANCES_MAX } from '../rules.ts';
import type { Search } from '../search.ts';
import type { Acquaintances } from '../suspects.ts';

/** Whom the traced wallet dealt with, and who of them is a service. */
export const readAcquaintances = async ({ request, middle }: Search, ask: Ask): Promise<Acquaintances> => {
  const { of, complete } = await readOwnNeighbours(request.wallet, ask);
  const addresses = [...new Set(of.map(({ counterparty }) => counterparty))];
  const services = await readServices(addresses, ask);
  const isOwn = (address: Address) => services.get(address)?.entity === middle.entity;
  return { of, complete, services, ownPools: new Set(addresses.filter(isOwn)) };
};

/**
 * Whom the wallet dealt with. Where there are more than are looked at, those whom it dealt with in earnest: dust that it sent to strangers,
 * or they to it, would else hide the others. Not asked so at once, which takes the engine longer.
 */
export const readOwnNeighbours = async (
  wallet: Address,
  ask: Ask,
): Promise<Pick<Acquaintances, 'of' | 'complete'>> => {
  const all = await ask.reader.neighbours(askedOf(wallet, ask));
  if (!isCut(all)) return { of: all, complete: true };
  const inEarnest = await readInEarnest(wallet, ask);
  return { of: inEarnest, complete: !isCut(inEarnest) };
};

/** Of whom the wallet dealt with, and how often, without any dust. */
export const readInEarnest = (wallet: Address, ask: Ask): Promise<readonly Neighbour[]> =>
  ask.reader.neighbours({ ...askedOf(wallet, ask), leastRaw: ask.leastRaw });

const askedOf = (wallet: Address, { limits, families }: Ask) => ({
  ...limits,
  ...{ families, sides: bothSides([wallet]), perSideMax: ACQUAINTANCES_MAX },
});

/** Whether there may be more on either side. */
const isCut = (neighbours: readonly Neighbour[]): boolean =>
  Object.values(Object.groupBy(neighbours, ({ direction }) => direction)).some(
    (side) =>
      side.length >= ACQUAINTANCES_MAX ||
      side.reduce((sum, { transfers }) => sum + transfers, 0) >= ACQUAINTANCES_MAX * ROWS_PER_ACQUAINTANCE,
  );
