import type { Address } from '../../model/address.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';

/** What an address got of an asset on balance, in raw units. */
export type Side = { readonly address: Address; readonly canonicalAsset: CanonicalAsset; netRaw: bigint };

/** What each address got within a transaction; direction, what it gave. In an order of their own. */
export const sumSides = (rows: readonly TransactionRow[], direction: Direction): Side[] => {
  const sides = new Map<string, Side>();
  const add = (address: Address, canonicalAsset: CanonicalAsset, amountRaw: bigint): void => {
    const key = `${canonicalAsset} ${address}`;
    const side = sides.get(key) ?? { address, canonicalAsset, netRaw: 0n };
    side.netRaw += amountRaw;
    sides.set(key, side);
  };
  for (const row of rows) {
    add(direction.payeeOf(row), row.canonicalAsset, row.amountRaw);
    add(direction.payerOf(row), row.canonicalAsset, -row.amountRaw);
  }
  // The order of rows within a transaction proves nothing.
  return [...sides.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

const keyOf = ({ canonicalAsset, address }: Side): string => `${canonicalAsset} ${address}`;

/**
 * To whom an asset may have come from somebody within the transaction of these rows, through any number of others; direction, from
 * whom. The order of rows within a transaction proves nothing.
 */
export const whomItReached = (
  rows: readonly TransactionRow[],
  {
    from: start,
    canonicalAsset,
    direction,
  }: { from: Address; canonicalAsset: CanonicalAsset; direction: Direction },
): ReadonlySet<Address> => {
  const paid = Map.groupBy(
    rows.filter((row) => row.canonicalAsset === canonicalAsset),
    direction.payerOf,
  );
  const reached = new Set([start]);
  // What is added meanwhile is met as well.
  for (const payer of reached) for (const row of paid.get(payer) ?? []) reached.add(direction.payeeOf(row));
  return reached;
};
