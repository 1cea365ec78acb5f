import { hashLabel, mix32 } from './random.ts';

/**
 * Addresses and hashes derived from a number, so that millions of wallets need no memory. They have the form of
 * real ones (base58 of 32 or 64 bytes, or hex), but nobody has their keys.
 */
export type BulkNames = {
  readonly address: (index: number) => string;
  readonly hash: (index: number) => string;
};

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const HEX = '0123456789abcdef';
/** The first wallets' names are cached, because by the power law they make up a large part of all rows. */
const KEPT_NAMES = 65_536;

type Shape = {
  readonly alphabet: string;
  readonly prefix: string;
  readonly length: number;
  /** Leading digits that keep the value within its byte length: 2^256 / 58^43 = 17.2, 2^512 / 58^87 = 5.1. */
  readonly leadFrom: number;
  readonly leadCount: number;
};

const SHAPES: Readonly<Record<'solana' | 'evm', { address: Shape; hash: Shape }>> = {
  solana: {
    address: { alphabet: BASE58, prefix: '', length: 44, leadFrom: 1, leadCount: 16 },
    hash: { alphabet: BASE58, prefix: '', length: 88, leadFrom: 1, leadCount: 4 },
  },
  evm: {
    address: { alphabet: HEX, prefix: '0x', length: 40, leadFrom: 0, leadCount: 16 },
    hash: { alphabet: HEX, prefix: '0x', length: 64, leadFrom: 0, leadCount: 16 },
  },
};

const charactersOf = (alphabet: string): Uint8Array =>
  Uint8Array.from(alphabet, (character) => character.charCodeAt(0));

/**
 * Writes `length` characters: the first 16 come from a bijection of the index, so no two are alike and the leading
 * bytes, by which tables are sorted, are spread. The rest comes from a keyed stretch of fixed noise.
 */
const createNamer = (shape: Shape, key: number): ((index: number) => string) => {
  const characters = charactersOf(shape.alphabet);
  const base = characters.length;
  const prefixLength = shape.prefix.length;
  const scratch = Buffer.alloc(prefixLength + shape.length);
  scratch.write(shape.prefix, 'latin1');
  const pool = new Uint8Array(8192 + shape.length);
  for (let at = 0; at < pool.length; at++) {
    pool[at] = characters[mix32(key ^ Math.imul(at + 1, 0x9e3779b1)) % base] ?? 0;
  }
  const secret = mix32(key ^ 0x5bd1e995);
  const digits = shape.alphabet.length === 16 ? 7 : 5;
  return (index) => {
    const low = mix32((index + secret) | 0);
    // Above 2^32 the low half repeats; the high half keeps names apart.
    const second = mix32(low ^ Math.imul(Math.floor(index / 4_294_967_296) + 1, 0x9e3779b1) ^ key);
    let at = prefixLength;
    scratch[at++] = characters[shape.leadFrom + (second % shape.leadCount)] ?? 0;
    let rest = low;
    for (let digit = 0; digit <= digits; digit++) {
      scratch[at++] = characters[rest % base] ?? 0;
      rest = Math.floor(rest / base);
    }
    rest = second;
    for (let digit = 0; digit <= digits; digit++) {
      scratch[at++] = characters[rest % base] ?? 0;
      rest = Math.floor(rest / base);
    }
    const from = (low ^ (second >>> 7)) & 8191;
    const end = scratch.length;
    for (let chaos = from; at < end; at++, chaos++) scratch[at] = pool[chaos] ?? 0;
    return scratch.toString('latin1', 0, end);
  };
};

const keepFirst = (name: (index: number) => string): ((index: number) => string) => {
  const kept: string[] = [];
  return (index) => {
    if (index >= KEPT_NAMES) return name(index);
    const known = kept[index];
    if (known !== undefined) return known;
    const made = name(index);
    kept[index] = made;
    return made;
  };
};

export const createBulkNames = (chain: string, seed: number): BulkNames => {
  const shapes = chain === 'solana' ? SHAPES.solana : SHAPES.evm;
  return {
    address: keepFirst(createNamer(shapes.address, hashLabel(`address ${chain}`, seed))),
    hash: createNamer(shapes.hash, hashLabel(`hash ${chain}`, seed)),
  };
};
