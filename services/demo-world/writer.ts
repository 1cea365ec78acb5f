/**
 * What the actors of the world know of a chain: they move value and call programs, the writer of each chain family
 * turns that into genuine transactions and keeps every balance. Amounts are raw integer units.
 */
export type Family = 'solana' | 'evm';

/** `native`, or a token's mint or contract. */
export type Asset = string;

export type Move =
  /** `authority`: a delegate or spender who may move another's tokens. Out of a contract the contract decides. */
  | {
      readonly type: 'transfer';
      readonly from: string;
      readonly to: string;
      readonly asset: Asset;
      readonly amountRaw: bigint;
      readonly authority?: string;
    }
  | { readonly type: 'wrap'; readonly owner: string; readonly amountRaw: bigint }
  | { readonly type: 'unwrap'; readonly owner: string; readonly amountRaw: bigint }
  | { readonly type: 'mint'; readonly to: string; readonly asset: Asset; readonly amountRaw: bigint }
  | { readonly type: 'burn'; readonly from: string; readonly asset: Asset; readonly amountRaw: bigint }
  | ControlMove;

/** Changes who may act for whom, and moves nothing. `approve`, `create`, `change_owner`, `upgrade` and `freeze` are of both families. */
export type ControlMove =
  | {
      /** `permit`: by a signature of the owner, that whoever calls hands in. */
      readonly type: 'approve' | 'permit';
      readonly owner: string;
      readonly spender: string;
      readonly asset: Asset;
      readonly amountRaw: bigint;
    }
  /** The owner's token account gets another owner, with what it holds (Solana). Neither of them uses it any more. */
  | { readonly type: 'hand_over'; readonly owner: string; readonly to: string; readonly asset: Asset }
  /** Lets another hand close the owner's account of wrapped coin, or closes it by that hand, which gets the coin (Solana). */
  | { readonly type: 'allow_close'; readonly owner: string; readonly to: string }
  | { readonly type: 'close'; readonly owner: string; readonly by: string }
  /** Hands a wallet to a program (Solana, System `Assign`): from then on the program moves its coin. */
  | { readonly type: 'assign'; readonly wallet: string; readonly program: string }
  /**
   * A contract that tells who owns it; without a program the transaction itself makes it. On Solana a program that its owner may
   * upgrade.
   */
  | { readonly type: 'create'; readonly contract: string; readonly owner: string }
  /** A mint that its authority may issue (Solana). */
  | { readonly type: 'create_mint'; readonly asset: Asset; readonly authority: string }
  /** On Solana the authority of a mint. */
  | { readonly type: 'change_owner'; readonly contract: string; readonly from: string; readonly to: string }
  /** On Solana `code` is the authority's spare account. */
  | { readonly type: 'upgrade'; readonly contract: string; readonly code: string }
  /** Of a listed stablecoin, by its issuer, who sends the transaction. */
  | {
      readonly type: 'freeze';
      readonly asset: Asset;
      readonly account: string;
      readonly isReleased?: true;
    };

/** Moves that a program makes when it is called; without a program, moves that the sender makes directly. */
export type Call = {
  readonly program?: string;
  /** One byte sequence a method, as on chain: 8 bytes on Solana, 4 on an EVM chain; drawn from this name. */
  readonly method?: string;
  readonly moves: readonly Move[];
};

export type Draft = {
  /** Pays the network fee. */
  readonly sender: string;
  readonly calls: readonly Call[];
  /** The transaction is executed and fails: nothing moves but the fee. */
  readonly fails?: boolean;
};

export type Written = {
  readonly hash: string;
  readonly blockNumber: number;
  readonly timeUnixSeconds: number;
};

export type TokenOptions = {
  readonly decimals: number;
  readonly address?: string;
  /** Token-2022 only: withheld from each transfer. Ignored where the family has no such thing. */
  readonly feeBasisPoints?: number;
};

/** Thrown when a move would take more than there is: a fault of the actor that drafted it. */
export class Overdraft extends Error {
  override readonly name = 'Overdraft';
}

export type Writer<Block> = {
  readonly chain: string;
  readonly family: Family;
  readonly wrapped: Asset;
  /** A wallet: on Solana a point of the curve, so that a key may belong to it. */
  readonly newAddress: () => string;
  /** What a program or contract signs for: on Solana off the curve. */
  readonly newDerived: () => string;
  /** Says that an address is a program's (Solana: owned by `program`) or a contract's (EVM). */
  readonly addContract: (address: string, program?: string) => void;
  readonly addToken: (options: TokenOptions) => Asset;
  /** Gives an address what it held before the first block of the world. */
  readonly endow: (address: string, asset: Asset, amountRaw: bigint) => void;
  readonly balance: (address: string, asset: Asset) => bigint;
  /** What one plain transaction costs at most: actors leave it in the wallet. */
  readonly feeReserveRaw: bigint;
  /** The most that one plain payment of the native coin costs: what sweepers leave behind. */
  readonly paymentFeeMaxRaw: bigint;
  readonly write: (draft: Draft) => Written;
  readonly open: (number: number, timeUnixSeconds: number) => void;
  readonly seal: () => Block;
};
