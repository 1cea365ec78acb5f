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
