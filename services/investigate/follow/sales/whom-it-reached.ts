import type { Address } from '../../model/address.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';

/**
 * To whom an asset may have come from somebody within the transaction of these rows, through any number of others; backward, from
 * whom. The order of rows within a transaction proves nothing.
 */
export const whomItReached = (
  rows: readonly TransactionRow[],
  {
    from: start,
    canonicalAsset,
    backward,
  }: { from: Address; canonicalAsset: CanonicalAsset; backward: boolean },
): ReadonlySet<Address> => {
  const paid = Map.groupBy(
    rows.filter((row) => row.canonicalAsset === canonicalAsset),
    ({ from, to }) => (backward ? to : from),
  );
  const reached = new Set([start]);
  // What is added meanwhile is met as well.
  for (const payer of reached)
    for (const { from, to } of paid.get(payer) ?? []) reached.add(backward ? from : to);
  return reached;
};
