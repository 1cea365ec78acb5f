import type { PlacedControlEvent } from '../model/control-reader.ts';
import type { InsidersReads } from './insiders-reader.ts';
import type { InsidersRequest } from './insiders-report.ts';

/** The creation event: who initialised the mint or created the contract. null when it is not kept. */
export const findCreation = async (
  { chain, token }: InsidersRequest,
  { controls }: Pick<InsidersReads, 'controls'>,
): Promise<PlacedControlEvent | null> => {
  const [made] = await controls.eventsOf(
    { chain: chain.name, kinds: ['mint_created', 'contract_created'], order: 'oldest_first', limit: 1 },
    [{ address: token }],
  );
  return made?.events[0] ?? null;
};
