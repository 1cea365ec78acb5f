/**
 * What earlier transactions of a block said about token accounts that a later one uses without owner or mint:
 * token balances have no owner before 2022 and do not exist in 2020. Blocks with owners never use it.
 */
export type BlockKnowledge = {
  readonly owners: Map<string, string>;
  readonly mints: Map<string, string>;
  /** An account's first mint in the block; null if it was opened, or closed unnamed, before that. */
  readonly firstMints: Map<string, string | null>;
  readonly decimals: Map<string, number>;
  /** By the account with its metadata or code: the token or program. */
  readonly heldFor: Map<string, string>;
  /** The node reports rent among rewards, so no other lamports can be missing. */
  readonly rentIsTold: boolean;
  /** The node lists all calls once for each instruction (2020). */
  readonly isBeforeCallsMend: boolean;
  /** Rent-exempt minimum over (data length + 128), as the block charged it. */
  lamportsPerByte: bigint;
};

/** Lamports a byte since genesis; a cheaper price shows in the accounts that a block opens. */
const LAMPORTS_PER_BYTE_MAX = 6960n;

// 2022. Rent became part of a transaction's rewards in June 2021 (solana-labs/solana#17528).
const RENT_TOLD_FROM = 1_640_995_200;

// December 2020: fixed in November (solana-labs/solana#13380), and adopted by nodes over time.
const CALLS_MENDED_FROM = 1_606_780_800;

export const newBlockKnowledge = (timeUnixSeconds: number | null): BlockKnowledge => ({
  rentIsTold: timeUnixSeconds !== null && timeUnixSeconds >= RENT_TOLD_FROM,
  isBeforeCallsMend: timeUnixSeconds === null || timeUnixSeconds < CALLS_MENDED_FROM,
  owners: new Map(),
  mints: new Map(),
  firstMints: new Map(),
  decimals: new Map(),
  heldFor: new Map(),
  lamportsPerByte: LAMPORTS_PER_BYTE_MAX,
});

/**
 * Facts from the whole block about the time before its first transaction. Owners are known only from then on.
 */
export const knownBefore = (knowledge: BlockKnowledge): BlockKnowledge => {
  const mints = new Map<string, string>();
  for (const [account, mint] of knowledge.firstMints) if (mint !== null) mints.set(account, mint);
  return { ...knowledge, owners: new Map(), mints };
};

const ACCOUNT_OVERHEAD_BYTES = 128n;
export const TOKEN_ACCOUNT_BYTES = 165;

export const rentExemptMinimum = (knowledge: BlockKnowledge, space: number | null): bigint =>
  (BigInt(space ?? TOKEN_ACCOUNT_BYTES) + ACCOUNT_OVERHEAD_BYTES) * knowledge.lamportsPerByte;

/** The same at the highest price ever: the most that an account of any age keeps as rent. */
export const rentExemptMost = (space: number): bigint =>
  (BigInt(space) + ACCOUNT_OVERHEAD_BYTES) * LAMPORTS_PER_BYTE_MAX;

/**
 * Learns the price of a byte from the balance of newly opened token accounts of the usual size, which is mostly
 * the exact minimum. The chain leaves none below it.
 */
export const learnRent = (knowledge: BlockKnowledge, lamports: bigint): void => {
  const bytes = BigInt(TOKEN_ACCOUNT_BYTES) + ACCOUNT_OVERHEAD_BYTES;
  const perByte = lamports / bytes;
  if (perByte > 0n && perByte < knowledge.lamportsPerByte && perByte * bytes === lamports)
    knowledge.lamportsPerByte = perByte;
};
