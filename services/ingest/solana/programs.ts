import { decodeBase58Into } from './base58.ts';
import { BRIDGE_PROGRAMS } from './bridges/bridge-programs.ts';

/**
 * Programs whose instructions move lamports or tokens by themselves, and bridges, which tell of the other side; all others only
 * call these.
 */
export const OTHER = 0;
export const SYSTEM = 1;
export const TOKEN = 2;
export const TOKEN_2022 = 3;
export const VOTE = 4;
export const STAKE = 5;
export const ASSOCIATED_TOKEN = 6;
export const BRIDGE = 7;

export const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';

const IDS: readonly (readonly [string, number])[] = [
  ['11111111111111111111111111111111', SYSTEM],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', TOKEN],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', TOKEN_2022],
  [VOTE_PROGRAM, VOTE],
  ['Stake11111111111111111111111111111111111111', STAKE],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', ASSOCIATED_TOKEN],
  ...BRIDGE_PROGRAMS.map((id) => [id, BRIDGE] as const),
];

const KIND_BY_ID = new Map(IDS);

const BYTES_BY_KIND = IDS.map(([id, kind]) => {
  const bytes = new Uint8Array(32);
  decodeBase58Into(id, bytes);
  return { kind, bytes };
});

export const programKind = (id: string): number => KIND_BY_ID.get(id) ?? OTHER;

/** The same for the 32 bytes at `start`, without writing them as base58 first. */
export const programKindOfBytes = (bytes: Uint8Array, start: number): number => {
  for (const candidate of BYTES_BY_KIND) {
    let i = 0;
    while (i < 32 && bytes[start + i] === candidate.bytes[i]) i++;
    if (i === 32) return candidate.kind;
  }
  return OTHER;
};
