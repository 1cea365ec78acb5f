import { base58 } from '@scure/base';
import { hashLabel, mix32 } from '../random.ts';

/** Program ids and instruction bytes of the real chain. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
export const LOADER_PROGRAM = 'BPFLoaderUpgradeab1e11111111111111111111111';
const RENT = 'SysvarRent111111111111111111111111111111111';
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
export const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

/** One instruction with addresses for accounts. */
export type Instruction = {
  readonly program: string;
  readonly accounts: readonly string[];
  /** Base58, as a node prints it. */
  readonly data: string;
};

const BYTES = { u8: 1, u32: 4, u64: 8 } as const;

type Field = readonly [keyof typeof BYTES, bigint | number] | readonly ['key', string];

const bytesOf = ([type, value]: Field): Uint8Array => {
  if (type === 'key') return base58.decode(value);
  const bytes = Buffer.alloc(BYTES.u64);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.subarray(0, BYTES[type]);
};

const encode = (...fields: readonly Field[]): string => base58.encode(Buffer.concat(fields.map(bytesOf)));

export const systemTransfer = (from: string, to: string, lamports: bigint): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [from, to],
  data: encode(['u32', 2], ['u64', lamports]),
});

export const createAccount = (
  payer: string,
  account: string,
  lamports: bigint,
  space: number,
  owner: string,
): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [payer, account],
  data: encode(['u32', 0], ['u64', lamports], ['u64', space], ['key', owner]),
});

export type TokenSide = { readonly account: string; readonly mint: string; readonly program: string };

export const transferChecked = (
  source: TokenSide,
  destination: string,
  authority: string,
  amountRaw: bigint,
  decimals: number,
): Instruction => ({
  program: source.program,
  accounts: [source.account, source.mint, destination, authority],
  data: encode(['u8', 12], ['u64', amountRaw], ['u8', decimals]),
});

/** The older form without the mint, which many programs still use. */
export const tokenTransfer = (
  source: TokenSide,
  destination: string,
  authority: string,
  amountRaw: bigint,
): Instruction => ({
  program: source.program,
  accounts: [source.account, destination, authority],
  data: encode(['u8', 3], ['u64', amountRaw]),
});

export const transferCheckedWithFee = (
  source: TokenSide,
  destination: string,
  authority: string,
  amountRaw: bigint,
  decimals: number,
  feeRaw: bigint,
): Instruction => ({
  program: source.program,
  accounts: [source.account, source.mint, destination, authority],
  data: encode(['u8', 26], ['u8', 1], ['u64', amountRaw], ['u8', decimals], ['u64', feeRaw]),
});

export const initializeAccount3 = (side: TokenSide, owner: string): Instruction => ({
  program: side.program,
  accounts: [side.account, side.mint],
  data: encode(['u8', 18], ['key', owner]),
});

export const initializeImmutableOwner = (side: TokenSide): Instruction => ({
  program: side.program,
  accounts: [side.account],
  data: encode(['u8', 22]),
});

export const createAssociatedAccount = (payer: string, side: TokenSide, owner: string): Instruction => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [payer, side.account, owner, side.mint, SYSTEM_PROGRAM, side.program],
  data: encode(['u8', 1]),
});

export const closeAccount = (side: TokenSide, destination: string, owner: string): Instruction => ({
  program: side.program,
  accounts: [side.account, destination, owner],
  data: encode(['u8', 9]),
});

export const syncNative = (account: string): Instruction => ({
  program: TOKEN_PROGRAM,
  accounts: [account],
  data: encode(['u8', 17]),
});

export const mintTo = (side: TokenSide, authority: string, amountRaw: bigint): Instruction => ({
  program: side.program,
  accounts: [side.mint, side.account, authority],
  data: encode(['u8', 7], ['u64', amountRaw]),
});

export const burnChecked = (
  side: TokenSide,
  owner: string,
  amountRaw: bigint,
  decimals: number,
): Instruction => ({
  program: side.program,
  accounts: [side.account, side.mint, owner],
  data: encode(['u8', 15], ['u64', amountRaw], ['u8', decimals]),
});

export const approve = (
  side: TokenSide,
  delegate: string,
  owner: string,
  amountRaw: bigint,
): Instruction => ({
  program: side.program,
  accounts: [side.account, delegate, owner],
  data: encode(['u8', 4], ['u64', amountRaw]),
});

export const revoke = (side: TokenSide, owner: string): Instruction => ({
  program: side.program,
  accounts: [side.account, owner],
  data: encode(['u8', 5]),
});

/** `SetAuthority`: the owner, or the authority to close. */
export const setAuthority = (
  side: TokenSide,
  owner: string,
  to: string,
  role: 'owner' | 'close',
): Instruction => ({
  program: side.program,
  accounts: [side.account, owner],
  data: encode(['u8', 6], ['u8', role === 'owner' ? 2 : 3], ['u8', 1], ['key', to]),
});

export const assign = (wallet: string, program: string): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [wallet],
  data: encode(['u32', 1], ['key', program]),
});

/** `InitializeMint2` without a freeze authority. */
export const initializeMint = (
  mint: { readonly address: string; readonly program: string; readonly decimals: number },
  authority: string,
): Instruction => ({
  program: mint.program,
  accounts: [mint.address],
  data: encode(['u8', 20], ['u8', mint.decimals], ['key', authority], ['u8', 0]),
});

/** `SetAuthority`: the authority to issue. */
export const setMinter = (
  mint: { readonly address: string; readonly program: string },
  from: string,
  to: string,
): Instruction => ({
  program: mint.program,
  accounts: [mint.address, from],
  data: encode(['u8', 6], ['u8', 0], ['u8', 1], ['key', to]),
});

export const freezeAccount = (side: TokenSide, authority: string, isReleased: boolean): Instruction => ({
  program: side.program,
  accounts: [side.account, side.mint, authority],
  data: encode(['u8', isReleased ? 11 : 10]),
});

export const deployProgram = (
  program: string,
  code: string,
  buffer: string,
  authority: string,
): Instruction => ({
  program: LOADER_PROGRAM,
  accounts: [authority, code, program, buffer, RENT, CLOCK, SYSTEM_PROGRAM, authority],
  data: encode(['u32', 2], ['u64', 100_000]),
});

export const upgradeProgram = (
  program: string,
  code: string,
  buffer: string,
  authority: string,
): Instruction => ({
  program: LOADER_PROGRAM,
  accounts: [code, program, buffer, authority, RENT, CLOCK, authority],
  data: encode(['u32', 3]),
});

export const computeUnitLimit = (units: number): Instruction => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: encode(['u8', 2], ['u32', units]),
});

export const computeUnitPrice = (microLamports: number): Instruction => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: encode(['u8', 3], ['u64', microLamports]),
});

export const vote = (account: string, authority: string, slot: number): Instruction => ({
  program: VOTE_PROGRAM,
  accounts: [account, authority],
  data: encode(['u32', 14], ['u64', slot], ['u64', slot - 31]),
});

/** A program's own method in Anchor's manner: eight bytes derived from its name, then a number. */
export const programCall = (
  program: string,
  method: string,
  accounts: readonly string[],
  argument: bigint,
): Instruction => ({
  program,
  accounts,
  data: encode(['u32', hashLabel(method)], ['u32', mix32(hashLabel(method))], ['u64', argument]),
});
