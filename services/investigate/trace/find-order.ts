import type { Address } from '../model/address.ts';
import type { AssetFamily } from '../model/asset.ts';
import type { WalletTransfer } from '../model/trace-reader.ts';
import type { Ask } from './ask.ts';
import { isDust, isStray } from './dust.ts';
import { isOrderOf } from './resolve-middle.ts';
import type { Search } from './search.ts';

/** Of each asset; an address with more payments is no order's. */
const PAYMENTS_MAX = 1_000;
const END_OF_TIME = 4_294_967_295;

/**
 * Whether the deposit address was made for one order, by what it got in earnest: a wei that anybody sent it since is no second order.
 * Asks only of addresses that somebody else paid, or somebody twice.
 */
export const findOrder = async (search: Search, ask: Ask): Promise<boolean> => {
  const { depositAddress, isOrder } = search.middle;
  if (isOrder || depositAddress === null) return isOrder;
  const read = await Promise.all(ask.families.map((family) => readPayments(depositAddress, family, ask)));
  if (read.some(({ length }) => length === PAYMENTS_MAX)) return false;
  const inEarnest = read.flatMap((payments, at) =>
    payments.filter(({ amountRaw }) => isInEarnest(search, ask.families[at] ?? '', amountRaw)),
  );
  const payers = Map.groupBy(inEarnest, ({ counterparty }) => counterparty);
  return isOrderOf([...payers.values()].map(({ length }) => ({ transfers: length })));
};

const readPayments = (
  wallet: Address,
  family: AssetFamily,
  { reader, limits }: Ask,
): Promise<readonly WalletTransfer[]> =>
  reader.walletTransfers({
    ...limits,
    ...{ fromUnixSeconds: 0, toUnixSeconds: END_OF_TIME },
    ...{ wallet, direction: 'in', family, limit: PAYMENTS_MAX },
  });

const isInEarnest = ({ request, anchor }: Search, family: AssetFamily, amountRaw: bigint): boolean => {
  const moved = anchor.moved.find((holding) => holding.family === family);
  return (
    !isDust(request.chain, family, amountRaw) && (moved === undefined || !isStray(amountRaw, moved.amountRaw))
  );
};
