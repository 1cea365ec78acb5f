/**
 * Shapes of `getBlock` results as far as the decoder reads them. Fields that older nodes omit are optional. Values
 * are checked where they are used, so a wrong shape costs one transaction, not the block.
 */

/** Lamports as parsed: a number where it is exact, a bigint above 2^53. */
export type Lamports = number | bigint;

export type RawTokenBalance = {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner?: string;
  readonly programId?: string;
  readonly uiTokenAmount: { readonly amount: string; readonly decimals: number };
};

export type RawReward = {
  readonly pubkey: string;
  readonly lamports: Lamports;
  readonly rewardType?: string | null;
};

/** Compiled (`programIdIndex`, indexes), partially decoded (`programId`, addresses) or parsed (`parsed`). */
export type RawInstruction = {
  readonly programIdIndex?: number;
  readonly programId?: string;
  readonly accounts?: readonly (number | string)[];
  readonly data?: string;
  readonly parsed?: unknown;
  /** Call depth from 2 on; nodes before 2023 do not tell it. */
  readonly stackHeight?: number | null;
};

export type RawMeta = {
  readonly err: unknown;
  readonly status?: { readonly Err?: unknown };
  readonly fee: Lamports;
  readonly preBalances: readonly Lamports[];
  readonly postBalances: readonly Lamports[];
  readonly innerInstructions?:
    | readonly { readonly index: number; readonly instructions: readonly RawInstruction[] }[]
    | null;
  readonly preTokenBalances?: readonly RawTokenBalance[] | null;
  readonly postTokenBalances?: readonly RawTokenBalance[] | null;
  readonly rewards?: readonly RawReward[] | null;
  readonly logMessages?: readonly string[] | null;
  readonly loadedAddresses?: {
    readonly writable?: readonly string[];
    readonly readonly?: readonly string[];
  } | null;
};

export type RawMessage = {
  readonly accountKeys: readonly (string | { readonly pubkey: string })[];
  readonly instructions: readonly RawInstruction[];
};

export type RawTransaction = {
  /** An object (json, jsonParsed), `[text, encoding]` (base64, base58), or bare base58 text (oldest nodes). */
  readonly transaction:
    | string
    | readonly [string, string]
    | { readonly signatures: readonly string[]; readonly message: RawMessage };
  readonly meta: RawMeta | null;
  readonly version?: 'legacy' | number | null;
};

export type RawBlock = {
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly blockTime?: number | null;
  readonly transactions: readonly RawTransaction[];
  readonly rewards?: readonly RawReward[] | null;
};
