import { decodeBase58 } from './base58.ts';

/** Of the curve -x² + y² = 1 + d·x²·y² over the integers modulo P (RFC 8032). */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const SIGN_BIT = 2n ** 255n;

/**
 * Whether a Solana address is a point of ed25519, so that a private key can exist. An address derived by a
 * program is not on the curve: only the program signs for it. https://solana.com/docs/core/pda
 */
export const isOnCurve = (address: string): boolean => {
  const bytes = decodeBase58(address);
  if (bytes === null || bytes.length !== 32) return false;
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) % SIGN_BIT;
  const y2 = (y * y) % P;
  // x² = (y² - 1) / (d·y² + 1) has a root exactly when the product of numerator and denominator has one,
  // because the two differ by a square.
  return jacobi(((y2 + P - 1n) * ((D * y2 + 1n) % P)) % P, P) >= 0;
};

/**
 * The Jacobi symbol, which for a prime modulus shows whether a number is a square: 1, -1 or 0. Many times as
 * fast as Euler's criterion.
 */
const jacobi = (value: bigint, modulus: bigint): -1 | 0 | 1 => {
  let [a, n, sign] = [value, modulus, 1];
  while (a !== 0n) {
    const lowest = Number(BigInt.asUintN(30, a));
    if ((lowest & 1) === 0) {
      const twos = lowest === 0 ? 30 : 31 - Math.clz32(lowest & -lowest);
      a >>= BigInt(twos);
      const rest = Number(n & 7n);
      if (twos % 2 === 1 && (rest === 3 || rest === 5)) sign = -sign;
      continue;
    }
    if ((lowest & 3) === 3 && (n & 3n) === 3n) sign = -sign;
    [a, n] = [n % a, a];
  }
  if (n !== 1n) return 0;
  return sign === 1 ? 1 : -1;
};
