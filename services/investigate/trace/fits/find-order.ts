import type { Ask } from '../ask.ts';
import { leastInEarnest } from '../dust.ts';
import { isOrderOf } from '../resolve-middle.ts';
import { ACQUAINTANCES_MAX } from '../rules.ts';
import type { Search } from '../search.ts';

/**
 * Whether the deposit address was made for one order, by what it got in earnest: a wei that anybody sent it since is no second order.
 * Asks only of addresses that somebody else paid, or somebody twice.
 */
export const findOrder = async (search: Search, ask: Ask): Promise<boolean> => {
  const { reader, limits, families } = ask;
  const { depositAddress, isOrder } = search.middle;
  if (isOrder || depositAddress === null) return isOrder;
  const payers = await reader.neighbours({
    ...{ ...limits, families, sides: [{ wallet: depositAddress, direction: 'in' }] },
    ...{
      leastRaw: leastInEarnest(search.request.chain, families, search.anchor.moved),
      perSideMax: ACQUAINTANCES_MAX,
    },
  });
  return isOrderOf(payers);
};
