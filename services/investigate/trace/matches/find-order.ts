import { leastInEarnest } from '../dust.ts';
import type { QueryContext } from '../query-context.ts';
import { ACQUAINTANCES_MAX } from '../rules.ts';
import type { Search } from '../search.ts';

/** Who pays an order: its customer, and whoever brings gas for sweeping a token. */
const PAYERS_MAX = 2;

/**
 * Whether the deposit address, which no list knows, was made for one order, as swappers make them: by who paid it in earnest, and how often.
 * A wei that anybody sent it since is no second order.
 */
export const findOrder = async (
  search: Search,
  { reader, limits, canonicalAssets }: QueryContext,
): Promise<boolean> => {
  const { depositAddress } = search.intermediary;
  if (depositAddress === null) return false;
  const payers = await reader.neighbours({
    ...limits,
    canonicalAssets,
    sides: [{ wallet: depositAddress, direction: 'in' }],
    leastRaw: leastInEarnest(search.request.chain, canonicalAssets, search.anchor.moved),
    perSideMax: ACQUAINTANCES_MAX,
  });
  return payers.length <= PAYERS_MAX && payers.every(({ transfers }) => transfers === 1);
};
