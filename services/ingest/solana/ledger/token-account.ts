import type { RawTokenBalance } from '../encoding/raw-block.ts';
import { isWrappedNative } from './wrapped-native.ts';

export type Turn = { readonly row: number; readonly isOpening: boolean };

/** The facts about a token account in one transaction, and its amount during the replay. */
export type TokenAccount = {
  /** null while the block has not said it (2020: transfers without a mint). */
  mint: string | null;
  /** Holds wrapped SOL. */
  isNative: boolean;
  /** null: unknown, and the token account itself is the party. */
  owner: string | null;
  amountRaw: bigint;
  /** `amountRaw` is set only when an instruction uses the account: most are just passed along. */
  touched: boolean;
  before: RawTokenBalance | null;
  after: RawTokenBalance | null;
  /** Initialised by the transaction itself. */
  opened: boolean;
  closed: boolean;
  /** When it was opened and closed, as row counts; before and after it is an ordinary address. */
  turns: Turn[];
  /** Lamports that its address held before: the address's own. */
  foundRaw: bigint;
  /** `amountRaw` counts wrapped lamports: all but an estimate of the rent. */
  isTakenUp: boolean;
  /** Lamports that it paid out although nobody paid them in, and their owner then. */
  paidIn: { readonly party: string; readonly amountRaw: bigint }[] | null;
  /** It received withheld Token-2022 fees in an amount that no instruction names. */
  receivesWithheld: boolean;
};

/** Shared by accounts without any: most are neither opened nor closed. */
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

/** Turns are ordered by row. */
export const addTurn = (token: TokenAccount, turn: Turn): void => {
  if (token.turns === NO_TURNS) token.turns = [turn];
  else token.turns.push(turn);
};

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

/** Of Token-2022, as far as balances say it: it may be larger than others. */
export const isExtended = ({ before, after }: TokenAccount): boolean =>
  (before ?? after)?.programId === TOKEN_2022;

/** Whether it is known to be open during the replay. */
export const isOpen = ({ before, opened, closed }: TokenAccount): boolean =>
  (before !== null || opened) && !closed;

/** Whether it was open when the row at this index was written. */
export const wasOpen = ({ turns, before, after }: TokenAccount, row: number): boolean => {
  const turn = lastTurn(turns, row);
  if (turn === undefined) return before !== null || turns[0]?.isOpening !== true;
  // A listed account that was closed before was reopened by an unrecorded call.
  return turn.isOpening || (after !== null && turn === turns.at(-1));
};

/** Binary search: a node may report any number of turns, and every row asks. */
const lastTurn = (turns: readonly Turn[], row: number): Turn | undefined => {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((turns[middle]?.row ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return turns[low - 1];
};
