import type { RawTokenBalance } from '../encoding/raw-block.ts';
import { isWrappedNative } from './wrapped-native.ts';

export type Turn = { readonly row: number; readonly isOpening: boolean };

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
  before: RawTokenBalance | null;
  after: RawTokenBalance | null;
  /** Initialised by the transaction itself. */
  opened: boolean;
  closed: boolean;
  /** When it was opened and closed, told by how many rows there were then; before and after it is an address like others. */
  turns: Turn[];
  /** Lamports that its address held already whenever it was opened: the address's own. */
  foundRaw: bigint;
  /** `amountRaw` counts lamports that were taken up as wrapped: all but an estimate of the account's rent. */
  isTakenUp: boolean;
  /** Lamports that it paid on and nobody was seen to pay in, and whose it was then. */
  paidIn: { readonly party: string; readonly amountRaw: bigint }[] | null;
  /** Withheld Token-2022 fees were paid out to it, in an amount that no instruction names. */
  receivesWithheld: boolean;
};

/** One for all that have none: most are neither opened nor closed. */
const NO_TURNS: Turn[] = [];

export const newTokenAccount = (
  mint: string | null,
  owner: string | null,
  before: RawTokenBalance | null = null,
  after: RawTokenBalance | null = null,
): TokenAccount => ({
  mint,
  isNative: mint !== null && isWrappedNative(mint),
  owner,
  amountRaw: 0n,
  touched: false,
  before,
  after,
  opened: false,
  closed: false,
  turns: NO_TURNS,
  foundRaw: 0n,
  isTakenUp: false,
  paidIn: null,
  receivesWithheld: false,
});

/** Turns come in the order of their rows. */
export const addTurn = (token: TokenAccount, turn: Turn): void => {
  if (token.turns === NO_TURNS) token.turns = [turn];
  else token.turns.push(turn);
};

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

/** Of Token-2022, where the balances say it: it may be larger than others. */
export const isExtended = ({ before, after }: TokenAccount): boolean =>
  (before ?? after)?.programId === TOKEN_2022;

/** Whether it is known to be open while the transaction is replayed. */
export const isOpen = ({ before, opened, closed }: TokenAccount): boolean =>
  (before !== null || opened) && !closed;

/** Whether it was open when the row of that position was written. */
export const wasOpen = ({ turns, before, after }: TokenAccount, row: number): boolean => {
  const turn = lastTurn(turns, row);
  if (turn === undefined) return before !== null || turns[0]?.isOpening !== true;
  // One that is listed after it was closed was opened again by a call that is not recorded.
  return turn.isOpening || (after !== null && turn === turns.at(-1));
};

/** Halving what is left: a node may tell of as many turns as it wants, and every row asks. */
const lastTurn = (turns: readonly Turn[], row: number): Turn | undefined => {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((turns[middle]?.row ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return turns[low - 1];
};
