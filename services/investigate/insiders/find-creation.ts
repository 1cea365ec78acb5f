import type { Budget } from '../model/budget.ts';
import type { PlacedControlEvent } from '../model/control-reader.ts';
import type { InsidersDependencies } from './insiders-reader.ts';
import type { InsidersRequest } from './insiders-report.ts';

/** The creation event: who initialised the mint or created the contract. null when it is not kept. */
export const findCreation = async (
  { chain, token }: InsidersRequest,
  { controls }: Pick<InsidersDependencies, 'controls'>,
  budget: Budget,
): Promise<PlacedControlEvent | null> => {
  const { events } = await controls.eventsOf({
    chain: chain.name,
    address: token,
    kinds: ['mint_created', 'contract_created'],
    order: 'oldest_first',
    limit: 1,
    ...budget.limits(),
  });
  return events[0] ?? null;
};
