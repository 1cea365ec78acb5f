import { least } from '../model/amount.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import type { Values } from '../model/value-amounts.ts';
import { dustBelowRaw } from '../trace/dust.ts';
import { DUST_PARTS, DUST_USD, DUST_USD_MAX } from './rules.ts';

/**
 * The dollars below which a payment counts as dust: a small part of a typical payment to the address. Half of
 * all dollars arrived in payments at least as large as the typical one, so any number of tiny payments cannot
 * move it.
 */
export const findDustBelow = (usds: readonly (number | null)[]): number => {
  const usual = usualOf(usds.filter((usd) => usd !== null)) ?? 0;
  return Math.min(DUST_USD_MAX, Math.max(DUST_USD, usual / DUST_PARTS));
};

/** The same in raw units of the coin, for coin that has no price: as far above the smallest payment of the chain. */
export const findCoinDustBelow = (chain: Chain, amounts: readonly bigint[]): bigint => {
  const leastRaw = dustBelowRaw(chain, NATIVE);
  const mostRaw = leastRaw * BigInt(Math.round(DUST_USD_MAX / DUST_USD));
  const partRaw = BigInt(Math.floor((usualOf(amounts.map(Number)) ?? 0) / DUST_PARTS));
  return least(mostRaw, partRaw < leastRaw ? leastRaw : partRaw);
};

/** Half of all arrived in payments at least as large as this one; null where there is none. */
const usualOf = (amounts: readonly number[]): number | null => {
  const sorted = amounts.toSorted((a, b) => b - a);
  const half = sorted.reduce((sum, amount) => sum + amount, 0) / 2;
  let sum = 0;
  const usual = sorted.find((amount) => {
    sum += amount;
    return sum >= half;
  });
  return usual ?? null;
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
