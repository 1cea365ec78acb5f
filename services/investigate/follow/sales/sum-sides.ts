import type { Address } from '../../model/address.ts';
import type { AssetFamily } from '../../model/asset.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';

/** What an address got of an asset on balance, in raw units. */
export type Side = { readonly address: Address; readonly family: AssetFamily; netRaw: bigint };

/** What each address got within a transaction; backward, what it gave. In an order of their own. */
export const sumSides = (rows: readonly TransactionRow[], backward: boolean): Side[] => {
  const sides = new Map<string, Side>();
  const add = (address: Address, family: AssetFamily, amountRaw: bigint): void => {
    const key = `${family} ${address}`;
    const side = sides.get(key) ?? { address, family, netRaw: 0n };
    side.netRaw += backward ? -amountRaw : amountRaw;
    sides.set(key, side);
  };
  for (const { from, to, family, amountRaw } of rows) {
    add(to, family, amountRaw);
    add(from, family, -amountRaw);
  }
  // The order of rows within a transaction proves nothing.
  return [...sides.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

const keyOf = ({ family, address }: Side): string => `${family} ${address}`;
