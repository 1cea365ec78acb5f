import type { Address } from './address.ts';

/**
 * Whether wallets that abbreviate addresses show both the same: at least three leading and four trailing
 * characters are equal, or four and three. Two thirds of the paid address poisonings match only three leading
 * characters (arXiv 2501.16681). By chance this happens to one EVM pair in 140 million.
 */
export const looksAlike = (one: Address, other: Address): boolean => {
  if (one === other) return false;
  const [a, b] = [shown(one), shown(other)];
  const front = countEqual(a, b, (at) => at);
  const behind = countEqual(a, b, (at, length) => length - 1 - at);
  return Math.min(front, behind) >= ENDS_MIN && front + behind >= BOTH_ENDS_MIN;
};

const ENDS_MIN = 3;
const BOTH_ENDS_MIN = 7;
/** No further characters are compared, because these decide. */
const LOOKED_AT = 4;

/** Behind 0x every character can be chosen. */
const shown = (address: Address): string => (address.startsWith('0x') ? address.slice(2) : address);

const countEqual = (a: string, b: string, place: (at: number, length: number) => number): number => {
  let equal = 0;
  while (equal < LOOKED_AT && a[place(equal, a.length)] === b[place(equal, b.length)]) equal += 1;
  return equal;
};

/**
 * Two addresses that look alike share at least one of these ends. Used to find pairs without comparing all
 * addresses.
 */
export const looksOf = (address: Address): readonly string[] => {
  const text = shown(address);
  return [`${text.slice(0, 3)}…${text.slice(-4)}`, `${text.slice(0, 4)}…${text.slice(-3)}`];
};
