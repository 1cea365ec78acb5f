import { decodeBase58 } from './base58.ts';

/** Of the curve -x² + y² = 1 + d·x²·y² over the integers modulo P (RFC 8032). */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const SIGN_BIT = 2n ** 255n;

/**
 * Whether a Solana address is a point of ed25519, so that somebody can hold its key. An address that a program derived is
 * none: only the program signs for it. https://solana.com/docs/core/pda
 */
export const isOnCurve = (address: string): boolean => {
  const bytes = decodeBase58(address);
  if (bytes === null || bytes.length !== 32) return false;
  const y = bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n) % SIGN_BIT;
  const y2 = modulo(y * y);
  const x2 = modulo(modulo(y2 - 1n) * inverse(modulo(D * y2 + 1n)));
  return x2 === 0n || power(x2, (P - 1n) / 2n) === 1n;
};

const modulo = (value: bigint): bigint => ((value % P) + P) % P;

/** Fermat: 0 for 0. */
const inverse = (value: bigint): bigint => power(value, P - 2n);

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
};
