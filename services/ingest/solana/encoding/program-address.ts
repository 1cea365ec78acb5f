import { sha256 } from '@noble/hashes/sha2.js';
import { decodeBase58 } from '../../../investigate/model/base58.ts';
import { encodeBase58 } from './base58.ts';

const DERIVED = Buffer.from('ProgramDerivedAddress');
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
];

const PRIME = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  for (let [square, rest] = [base % PRIME, exponent]; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % PRIME;
    square = (square * square) % PRIME;
  }
  return result;
};

/** Whether 32 bytes are a point of ed25519. Somebody may have its key then, and no program can own the address. */
const isOnCurve = (bytes: Uint8Array): boolean => {
  const digits = Buffer.from(bytes).reverse().toString('hex');
  const y = BigInt(`0x${digits}`) & (2n ** 255n - 1n);
  const y2 = (y * y) % PRIME;
  // x² = (y² − 1) / (d y² + 1) has a root if it is a square (Euler); so is its product with the squared divisor.
  const x2 = ((y2 + PRIME - 1n) * (D * y2 + 1n)) % PRIME;
  return x2 === 0n || power(x2, (PRIME - 1n) / 2n) === 1n;
};

/** The address that a program derives from seeds: the first that nobody can have a key for. */
export const findProgramAddress = (seeds: Uint8Array, program: string): string => {
  const owner = Buffer.from(decodeBase58(program) ?? []);
  for (let bump = 255; bump >= 0; bump--) {
    const address = sha256(Buffer.concat([seeds, Buffer.of(bump), owner, DERIVED]));
    if (!isOnCurve(address)) return encodeBase58(address, 0, address.length);
  }
  throw new RangeError('no address is off the curve');
};

/** The accounts in which wallets hold a mint unless they choose another, of both token programs, open or closed. */
export const associatedAccounts = (wallet: string, mint: string): string[] => {
  const [owner, token] = [decodeBase58(wallet), decodeBase58(mint)];
  if (owner?.length !== 32 || token?.length !== 32) return [];
  return TOKEN_PROGRAMS.map((program) =>
    findProgramAddress(
      Buffer.concat([owner, Buffer.from(decodeBase58(program) ?? []), token]),
      ASSOCIATED_TOKEN,
    ),
  );
};
