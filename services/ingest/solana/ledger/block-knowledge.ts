/**
 * What earlier transactions of a block said about token accounts that a later one passes without owner or mint: token
 * balances carry no owner before 2022 and do not exist in 2020. Blocks that state owners never consult it.
 */
export type BlockKnowledge = {
  readonly owners: Map<string, string>;
  readonly mints: Map<string, string>;
  /** What the block first said of an account's mint; null where it was opened, or closed unnamed, before that. */
  readonly firstMints: Map<string, string | null>;
  readonly decimals: Map<string, number>;
  /** By the account that holds its metadata or code, the token or program. */
  readonly heldFor: Map<string, string>;
  /** Nodes of its time say which rent the runtime took: where rewards are told, no other lamports can be missing. */
  readonly rentIsTold: boolean;
  /** Nodes of its time listed all calls of a transaction once for each of its instructions. */
  readonly isBeforeCallsMend: boolean;
  /** Rent-exempt minimum over (data length + 128), as the block itself charged it. */
  lamportsPerByte: bigint;
};

/** Lamports a byte since genesis; a block that charges less says so in the accounts it opens. */
const LAMPORTS_PER_BYTE_MAX = 6960n;

// 2022. Rent was put among the rewards of a transaction in June 2021 (solana-labs/solana#17528).
const RENT_TOLD_FROM = 1_640_995_200;

// December 2020: mended in November (solana-labs/solana#13380), and taken over by each node in its time.
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

/** What the whole block says of the time before its first transaction: whose an account is holds only from then on. */
export const knownBefore = (knowledge: BlockKnowledge): BlockKnowledge => {
  const mints = new Map<string, string>();
  for (const [account, mint] of knowledge.firstMints) if (mint !== null) mints.set(account, mint);
  return { ...knowledge, owners: new Map(), mints };
};

const ACCOUNT_OVERHEAD_BYTES = 128n;
export const TOKEN_ACCOUNT_BYTES = 165;

export const rentExemptMinimum = (knowledge: BlockKnowledge, space: number | null): bigint =>
  (BigInt(space ?? TOKEN_ACCOUNT_BYTES) + ACCOUNT_OVERHEAD_BYTES) * knowledge.lamportsPerByte;

/** The same at the highest price there was: what an account opened at any time keeps at most. */
export const rentExemptMost = (space: number): bigint =>
  (BigInt(space) + ACCOUNT_OVERHEAD_BYTES) * LAMPORTS_PER_BYTE_MAX;

/**
 * Learns the price of a byte from what a token account of the usual size is left with that was opened: mostly exactly its minimum,
 * and the chain lets none be left with less, whatever size or payments its instructions tell of.
 */
export const learnRent = (knowledge: BlockKnowledge, lamports: bigint): void => {
  const bytes = BigInt(TOKEN_ACCOUNT_BYTES) + ACCOUNT_OVERHEAD_BYTES;
  const perByte = lamports / bytes;
  if (perByte > 0n && perByte < knowledge.lamportsPerByte && perByte * bytes === lamports)
    knowledge.lamportsPerByte = perByte;
};
