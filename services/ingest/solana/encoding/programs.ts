import { BRIDGE_PROGRAMS } from '../bridges/bridge-programs.ts';
import { decodeBase58Into } from './base58.ts';
import { readU32 } from './exact-integer.ts';

/**
 * Programs whose instructions move lamports or tokens or change authorities, and bridges; all others only call
 * these.
 */
export const OTHER = 0;
export const SYSTEM = 1;
export const TOKEN = 2;
export const TOKEN_2022 = 3;
export const VOTE = 4;
export const STAKE = 5;
export const ASSOCIATED_TOKEN = 6;
export const BRIDGE = 7;
export const LOADER = 8;
export const LOADER_4 = 9;
export const METAPLEX = 10;
/** Settings, notes and signatures: they call nothing and are no counterparties. */
export const IDLE = 11;
/** Light Protocol's compressed tokens, and its program for compressed SOL. */
export const COMPRESSED_TOKEN = 12;
export const LIGHT_SYSTEM = 13;

export const METAPLEX_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';

export const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';

const IDS: readonly (readonly [string, number])[] = [
  ['11111111111111111111111111111111', SYSTEM],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', TOKEN],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', TOKEN_2022],
  [VOTE_PROGRAM, VOTE],
  ['Stake11111111111111111111111111111111111111', STAKE],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', ASSOCIATED_TOKEN],
  ['BPFLoaderUpgradeab1e11111111111111111111111', LOADER],
  ['LoaderV411111111111111111111111111111111111', LOADER_4],
  [METAPLEX_PROGRAM, METAPLEX],
  ['ComputeBudget111111111111111111111111111111', IDLE],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', IDLE],
  ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', IDLE],
  ['Ed25519SigVerify111111111111111111111111111', IDLE],
  ['KeccakSecp256k11111111111111111111111111111', IDLE],
  ['Secp256r1SigVerify1111111111111111111111111', IDLE],
  // https://github.com/Lightprotocol/light-protocol
  ['cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m', COMPRESSED_TOKEN],
  ['SySTEM1eSU2p4BGQfQpimFEWWSC1XDFeun3Nqzz3rT7', LIGHT_SYSTEM],
  ...BRIDGE_PROGRAMS.map((id) => [id, BRIDGE] as const),
];

const KIND_BY_ID = new Map(IDS);

const idBytes = (id: string): Uint8Array => {
  const bytes = new Uint8Array(32);
  decodeBase58Into(id, bytes);
  return bytes;
};

/** By the first four bytes as a signed integer: one look-up excludes other accounts. */
const CANDIDATES = Map.groupBy(
  IDS.map(([id, kind]) => ({ kind, bytes: idBytes(id) })),
  ({ bytes }) => readU32(bytes, 0) | 0,
);

export const isVote = (kind: number): boolean => kind === VOTE;

/** Whether its instructions need no decoding. */
export const isSilent = (kind: number): boolean => kind === OTHER || kind === IDLE;

export const programKind = (id: string): number => KIND_BY_ID.get(id) ?? OTHER;

/** The same for 32 bytes at `start`, without writing base58. */
export const programKindOfBytes = (bytes: Uint8Array, start: number): number => {
  const candidates = CANDIDATES.get(readU32(bytes, start) | 0);
  if (candidates === undefined) return OTHER;
  for (const candidate of candidates) {
    let i = 4;
    while (i < 32 && bytes[start + i] === candidate.bytes[i]) i++;
    if (i === 32) return candidate.kind;
  }
  return OTHER;
};
