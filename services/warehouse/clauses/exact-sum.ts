/**
 * Two columns that tell the sum of amounts where the condition holds: the sum itself is of 256 bits and wraps, as a token's contract
 * can make it that logs whatever it likes.
 */
export const exactSum = (condition: string): string =>
  `sumIf(amount, ${condition}), sumIf(bitShiftRight(amount, 128), ${condition})`;

/** The sum, from the two columns: the lower halves of all amounts are never 2^128 rows, so that they do not wrap. */
export const toExactSum = (wrapped: string, upperHalves: string): bigint => {
  const upper = BigInt(upperHalves) << 128n;
  return upper + BigInt.asUintN(256, BigInt(wrapped) - upper);
};
