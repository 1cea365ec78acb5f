import type { Address } from '../model/address.ts';
import { bothSides, type Neighbour, ROWS_PER_ACQUAINTANCE } from '../model/trace-reader.ts';
import { type Ask, askInChunks } from './ask.ts';
import { dustBelowRaw } from './dust.ts';
import { ACQUAINTANCES_MAX } from './rules.ts';
import type { Search } from './search.ts';
import type { Acquaintances } from './suspects.ts';
import type { TraceRequest } from './trace-answer.ts';

/** Whom the traced wallet dealt with, and who of them is a service. */
export const readAcquaintances = async ({ request, middle }: Search, ask: Ask): Promise<Acquaintances> => {
  const { reader, limits } = ask;
  const { of, complete } = await readOwnNeighbours(request, ask);
  const addresses = [...new Set(of.map(({ counterparty }) => counterparty))];
  const services = new Map(
    await askInChunks(addresses, (chunk) => reader.services({ ...limits, addresses: chunk })),
  );
  const isOwn = (address: Address) => services.get(address)?.entity === middle.entity;
  return { of, complete, services, ownPools: new Set(addresses.filter(isOwn)) };
};

/**
 * Whom the wallet dealt with. Where there are more than are looked at, those whom it dealt with in earnest: dust that it sent to strangers,
 * or they to it, would else hide the others.
 */
export const readOwnNeighbours = async (
  { chain, wallet }: Pick<TraceRequest, 'chain' | 'wallet'>,
  { reader, limits, families }: Ask,
): Promise<Pick<Acquaintances, 'of' | 'complete'>> => {
  const asked = { ...limits, families, sides: bothSides([wallet]), perSideMax: ACQUAINTANCES_MAX };
  const all = await reader.neighbours(asked);
  if (!isCut(all)) return { of: all, complete: true };
  const leastRaw = families.map((family) => dustBelowRaw(chain, family));
  const inEarnest = await reader.neighbours({ ...asked, leastRaw });
  return { of: inEarnest, complete: !isCut(inEarnest) };
};

/** Whether there may be more on either side. */
const isCut = (neighbours: readonly Neighbour[]): boolean =>
  Object.values(Object.groupBy(neighbours, ({ direction }) => direction)).some(
    (side) =>
      side.length >= ACQUAINTANCES_MAX ||
      side.reduce((sum, { transfers }) => sum + transfers, 0) >= ACQUAINTANCES_MAX * ROWS_PER_ACQUAINTANCE,
  );
