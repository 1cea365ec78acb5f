import { NATIVE } from '../model/movement.ts';
import type { Values } from '../model/value-amounts.ts';
import { DUST_PARTS, DUST_USD, DUST_USD_MAX } from './rules.ts';

/**
 * Below how many dollars a payment is dust: a small part of what the address is paid in earnest. Half of all dollars came in
 * payments that are at least as large as that, so however many send crumbs they decide nothing.
 */
export const findDustBelow = (usds: readonly (number | null)[]): number => {
  const sorted = usds.filter((usd) => usd !== null).sort((a, b) => b - a);
  const half = sorted.reduce((sum, usd) => sum + usd, 0) / 2;
  let sum = 0;
  const usual = sorted.find((usd) => {
    sum += usd;
    return sum >= half;
  });
  return Math.min(DUST_USD_MAX, Math.max(DUST_USD, (usual ?? 0) / DUST_PARTS));
};

/**
 * The most that a whole coin was worth in any of these payments; null where none has a price. Says of a crumb that has none,
 * in the newest hours or where nobody traded, that it is one.
 */
export const findCoinUsd = (
  takings: readonly { readonly blockTime: number }[],
  { priceOf }: Pick<Values, 'priceOf'>,
): number | null =>
  takings.reduce<number | null>((most, { blockTime }) => {
    const usd = priceOf({ canonicalAsset: NATIVE, blockTime })?.usd ?? null;
    return usd === null || (most !== null && most >= usd) ? most : usd;
  }, null);
