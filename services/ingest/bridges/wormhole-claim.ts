import { sha256 } from '@noble/hashes/sha2.js';
import { decodeBase58 } from '../../investigate/model/base58.ts';
import { encodeBase58 } from '../solana/encoding/base58.ts';

/** https://wormhole.com/docs/products/reference/contract-addresses/ */
export const SOLANA_TOKEN_BRIDGE = 'wormDTUJ6AWPNvk59vGQbDvGJmqbDTdgWgAqcLBCgUb';
const PROGRAM = Buffer.from(decodeBase58(SOLANA_TOKEN_BRIDGE) ?? []);
const DERIVED = Buffer.from('ProgramDerivedAddress');

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

/**
 * The account that Solana's token bridge creates when it pays a message out, so that it pays once. It is
 * derived from the message's number, and is all that a redemption shows of it.
 */
export const wormholeClaim = (chain: bigint | number, emitter: string, sequence: bigint): string => {
  const seeds = Buffer.alloc(42);
  seeds.write(emitter.replace(/^0x/, '').padStart(64, '0'), 0, 'hex');
  seeds.writeUInt16BE(Number(chain), 32);
  seeds.writeBigUInt64BE(sequence, 34);
  for (let bump = 255; bump >= 0; bump--) {
    const address = sha256(Buffer.concat([seeds, Buffer.of(bump), PROGRAM, DERIVED]));
    if (!isOnCurve(address)) return encodeBase58(address, 0, address.length);
  }
  throw new RangeError('no address is off the curve');
};

/** The number of a message to Solana, on both sides. */
export const claimedBy = (account: string): string => `claim/${account}`;
