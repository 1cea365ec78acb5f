import type { RawTokenBalance } from './raw-block.ts';

/** What one transaction says about one of its token accounts, and where its amount stands while it is replayed. */
export type TokenAccount = {
  /** null while the block has not said it (2020: transfers that do not name a mint). */
  mint: string | null;
  /** Holds wrapped SOL. */
  isNative: boolean;
  /** null: the block does not say it, and the token account is the party. */
  owner: string | null;
  amountRaw: bigint;
  /** `amountRaw` is only filled in when an instruction touches the account: most are just passed along. */
  touched: boolean;
  readonly before: RawTokenBalance | null;
  after: RawTokenBalance | null;
  /** Initialised by the transaction itself. */
  opened: boolean;
  closed: boolean;
  /** `amountRaw` counts lamports that were taken up as wrapped: all but an estimate of the account's rent. */
  isTakenUp: boolean;
  /** Withheld Token-2022 fees were paid out to it, in an amount that no instruction names. */
  receivesWithheld: boolean;
};

export const newTokenAccount = (
  mint: string | null,
  isNative: boolean,
  owner: string | null,
  before: RawTokenBalance | null,
  after: RawTokenBalance | null,
): TokenAccount => ({
  mint,
  isNative,
  owner,
  amountRaw: 0n,
  touched: false,
  before,
  after,
  opened: false,
  closed: false,
  isTakenUp: false,
  receivesWithheld: false,
});
