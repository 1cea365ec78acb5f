import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';

export type Some<T> = readonly [T, ...T[]];

export const isSome = <T>(list: readonly T[]): list is Some<T> => list.length > 0;

/** `rows`: those that reached the payee. `amountRaw`: the part of them that the payer supplied. */
export type Passed = {
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  readonly rows: Some<TransactionRow>;
};

type Ends = { readonly payer: Address; readonly payee: Address };

/**
 * Computes what one transaction moved from payer to payee, for each asset: directly, and through any chain of
 * addresses that passed the same asset on. Never more than the payer supplied, because a router may pay for
 * several people in one transaction.
 */
export const findPassed = (rows: readonly TransactionRow[], ends: Ends): Passed[] =>
  [...Map.groupBy(rows, ({ canonicalAsset }) => canonicalAsset)].flatMap(([canonicalAsset, ofAsset]) => {
    const passed = passOn(ofAsset, ends);
    return passed === null ? [] : [{ canonicalAsset, ...passed }];
  });

const passOn = (
  rows: readonly TransactionRow[],
  { payer, payee }: Ends,
): Omit<Passed, 'canonicalAsset'> | null => {
  const forward = Map.groupBy(rows, ({ from }) => from);
  const backward = Map.groupBy(rows, ({ to }) => to);
  const reached = reach(payer, payee, (address) => (forward.get(address) ?? []).map(({ to }) => to));
  const reaching = reach(payee, payer, (address) => (backward.get(address) ?? []).map(({ from }) => from));
  const given = (forward.get(payer) ?? []).filter(({ to }) => reaching.has(to));
  const got = (backward.get(payee) ?? []).filter(({ from }) => reached.has(from));
  if (!isSome(given) || !isSome(got)) return null;
  const [givenRaw, gotRaw] = [sumOf(given), sumOf(got)];
  const isMore = gotRaw > givenRaw;
  return { amountRaw: isMore ? givenRaw : gotRaw, rows: got };
};

/** All addresses reachable from `start`, itself included, without continuing beyond `end`. */
const reach = (
  start: Address,
  end: Address,
  next: (address: Address) => readonly Address[],
): ReadonlySet<Address> => {
  const found = new Set([start]);
  // Addresses added during the loop are visited as well.
  for (const address of found) {
    if (address === end) continue;
    for (const other of next(address)) found.add(other);
  }
  return found;
};
