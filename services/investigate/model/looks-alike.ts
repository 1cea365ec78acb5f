import type { Address } from './address.ts';

/**
 * Whether wallets that abbreviate addresses show both alike: at least three characters in front and four behind are equal, or
 * four and three. Two thirds of the paid address poisonings match no more than three in front (arXiv 2501.16681). By chance two
 * EVM addresses do so once in 140 million pairs.
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
/** No more is looked at: what decides is settled by then. */
const LOOKED_AT = 4;

/** Behind 0x every character is chosen. */
const shown = (address: Address): string => (address.startsWith('0x') ? address.slice(2) : address);

const countEqual = (a: string, b: string, place: (at: number, length: number) => number): number => {
  let equal = 0;
  while (equal < LOOKED_AT && a[place(equal, a.length)] === b[place(equal, b.length)]) equal += 1;
  return equal;
};

/** The ends that two addresses which look alike share at least one of: to find pairs among many without comparing all. */
export const looksOf = (address: Address): readonly string[] => {
  const text = shown(address);
  return [`${text.slice(0, 3)}…${text.slice(-4)}`, `${text.slice(0, 4)}…${text.slice(-3)}`];
};
