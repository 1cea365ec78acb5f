import type { Ask } from './ask.ts';
import { strayBelowRaw } from './dust.ts';
import { isOrderOf } from './resolve-middle.ts';
import { ACQUAINTANCES_MAX } from './rules.ts';
import type { Search } from './search.ts';

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
    ...{ leastRaw: leastInEarnest(search, ask), perSideMax: ACQUAINTANCES_MAX },
  });
  return isOrderOf(payers);
};

/** Of each asset what is no dust, and of the one that is traced no stray beside it either. */
const leastInEarnest = ({ anchor }: Search, { families, leastRaw }: Ask): bigint[] =>
  families.map((family, at) => {
    const moved = anchor.moved.find((holding) => holding.family === family);
    const [dustRaw, strayRaw] = [leastRaw[at] ?? 0n, strayBelowRaw(moved?.amountRaw ?? 0n)];
    return dustRaw > strayRaw ? dustRaw : strayRaw;
  });
