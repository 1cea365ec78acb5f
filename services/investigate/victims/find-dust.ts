import { NATIVE } from '../model/movement.ts';
import type { Values } from '../model/value-amounts.ts';
import { DUST_PARTS, DUST_USD, DUST_USD_MAX } from './rules.ts';

/**
 * The dollars below which a payment counts as dust: a small part of a typical payment to the address. Half of
 * all dollars arrived in payments at least as large as the typical one, so any number of tiny payments cannot
 * move it.
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
 * The highest dollar value of a whole coin among these payments; null when none has a price. It bounds the
 * value of payments without a price, which are in the newest hours or in hours without trades.
 */
export const findCoinUsd = (
  takings: readonly { readonly blockTime: number }[],
  { priceOf }: Pick<Values, 'priceOf'>,
): number | null =>
  takings.reduce<number | null>((most, { blockTime }) => {
    const usd = priceOf({ canonicalAsset: NATIVE, blockTime })?.usd ?? null;
    return usd === null || (most !== null && most >= usd) ? most : usd;
  }, null);
