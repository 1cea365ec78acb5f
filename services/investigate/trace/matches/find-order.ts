import { leastInEarnest } from '../dust.ts';
import type { QueryContext } from '../query-context.ts';
import { COUNTERPARTIES_MAX } from '../rules.ts';
import type { Search } from '../search.ts';

/** The payers of an order: its customer, and the sender of gas for sweeping a token. */
const PAYERS_MAX = 2;

/**
 * Whether an unlisted deposit address was made for one order, as swappers make them: one or two wallets paid
 * it, once each. One wei sent later is no second order.
 */
export const findOrder = async (
  search: Search,
  { reads, onChain, canonicalAssets }: QueryContext,
): Promise<boolean> => {
  const { depositAddress } = search.intermediary;
  if (depositAddress === null) return false;
  const leastRaw = leastInEarnest(search.request.chain, canonicalAssets, search.anchor.moved);
  const asked = {
    ...onChain,
    canonicalAssets,
    leastRaw,
    perSideMax: COUNTERPARTIES_MAX,
    fromBeginning: true,
  };
  const [payers = []] = await reads.neighbours(asked, [{ wallet: depositAddress, direction: 'in' }]);
  return payers.length <= PAYERS_MAX && payers.every(({ transfers }) => transfers === 1);
};
