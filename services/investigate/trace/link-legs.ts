import { sumOf } from '../model/amount.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import { firstIndex } from '../model/first-index.ts';
import { type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';

type Leg = { readonly amountRaw: bigint };

/** `isBatch`: the second leg pays for others as well, so only the first gives the amount. */
type Link<First, Second> = { readonly first: First; readonly second: Second; readonly isBatch: boolean };

/** The part of a first leg that has not been passed on yet. */
type Source<First> = { readonly first: First; readonly at: number; readonly remainingRaw: bigint };

/**
 * Matches what reached a router in one transaction (`firsts`) with what it passed on (`seconds`), because
 * several people may use one router at once. Each second leg takes the smallest first leg with enough left. A
 * second leg larger than any single first counts as a batch for all unused ones.
 */
export const linkLegs = <First extends Leg, Second extends Leg>(
  firsts: readonly First[],
  seconds: readonly Second[],
): Link<First, Second>[] => {
  // Sorted and searched by bisection, because a transaction can hold any number of legs.
  const sources = firsts
    .map((first, index): Source<First> => ({ first, at: index, remainingRaw: first.amountRaw }))
    .sort(compareSources);
  const links: Link<First, Second>[] = [];
  const batches: Second[] = [];
  for (const second of seconds.toSorted((a, b) => compare(b.amountRaw, a.amountRaw))) {
    const enough = firstIndex(sources, ({ remainingRaw }) => remainingRaw >= second.amountRaw);
    const [source] = sources.splice(enough, 1);
    if (source === undefined) {
      batches.push(second);
      continue;
    }
    const rest = { ...source, remainingRaw: source.remainingRaw - second.amountRaw };
    const behind = firstIndex(sources, (other) => compareSources(other, rest) > 0);
    sources.splice(behind, 0, rest);
    links.push({ first: source.first, second, isBatch: false });
  }
  const [batch, another] = batches;
  const unused = sources
    .filter(({ first, remainingRaw }) => remainingRaw === first.amountRaw)
    .sort((a, b) => a.at - b.at)
    .map(({ first }) => first);
  if (batch === undefined || another !== undefined || sumOf(unused) < batch.amountRaw) return links;
  return [...links, ...unused.map((first) => ({ first, second: batch, isBatch: true }))];
};

/** The smallest first; equal ones in the order given. */
const compareSources = (a: Source<unknown>, b: Source<unknown>): number =>
  compare(a.remainingRaw, b.remainingRaw) || a.at - b.at;

/** The same for all legs, by asset and transaction. */
export const legsKey = (leg: TransactionPosition & { readonly canonicalAsset: CanonicalAsset }): string =>
  `${transactionKey(leg)} ${leg.canonicalAsset}`;

/** A router keeps less than half. */
export const isMostOf = (partRaw: bigint, amountRaw: bigint): boolean => partRaw * 2n > amountRaw;

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));
