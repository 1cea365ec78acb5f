/**
 * What actors know of a chain: they move value and call programs. Each chain family's writer turns that into
 * genuine transactions and keeps every balance. Amounts are raw integers.
 */
export type Family = 'solana' | 'evm';

/** `native`, or a token's mint or contract. */
export type Asset = string;

export type Move =
  /** `authority`: a delegate or spender who may move another's tokens. For a contract the contract decides. */
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

/**
 * Changes an authority and moves nothing. Both families have `approve`, `create`, `change_owner`, `upgrade` and
 * `freeze`.
 */
export type ControlMove =
  | {
      /** `permit`: by an owner's signature that the caller submits. */
      readonly type: 'approve' | 'permit';
      readonly owner: string;
      readonly spender: string;
      readonly asset: Asset;
      readonly amountRaw: bigint;
    }
  /** The owner's token account changes owner with its content (Solana). Neither uses it afterwards. */
  | { readonly type: 'hand_over'; readonly owner: string; readonly to: string; readonly asset: Asset }
  /**
   * Lets another close the owner's account of wrapped coin, or closes it by that hand, which gets the coin
   * (Solana).
   */
  | { readonly type: 'allow_close'; readonly owner: string; readonly to: string }
  | { readonly type: 'close'; readonly owner: string; readonly by: string }
  /** Assigns a wallet to a program (Solana, System `Assign`), which may then move its coin. */
  | { readonly type: 'assign'; readonly wallet: string; readonly program: string }
  /**
   * A contract with an owner; without a program the transaction itself creates it. On Solana a program that its
   * owner may upgrade.
   */
  | { readonly type: 'create'; readonly contract: string; readonly owner: string }
  /** A mint whose authority may issue (Solana). */
  | { readonly type: 'create_mint'; readonly asset: Asset; readonly authority: string }
  /** On Solana the authority of a mint. */
  | { readonly type: 'change_owner'; readonly contract: string; readonly from: string; readonly to: string }
  /** On Solana `code` is the authority's spare account. */
  | { readonly type: 'upgrade'; readonly contract: string; readonly code: string }
  /** By a listed stablecoin's issuer, who sends the transaction. */
  | {
      readonly type: 'freeze';
      readonly asset: Asset;
      readonly account: string;
      readonly isReleased?: true;
    };

export type Offer = { readonly chain: string; readonly asset: Asset; readonly amountRaw: bigint };

/** An order of deBridge: its maker gives on one chain, and the receiver takes on the other. */
export type Order = {
  readonly nonce: bigint;
  readonly maker: string;
  readonly give: Offer;
  readonly take: Offer;
  readonly receiver: string;
};

/** Moves that a called program makes; without a program, direct moves of the sender. */
export type Call = {
  readonly program?: string;
  /** The method's selector, as on chain: 8 bytes on Solana, 4 on an EVM chain, derived from this name. */
  readonly method?: string;
  readonly moves: readonly Move[];
  /** What deBridge's program or contract tells of it. */
  readonly order?: { readonly is: 'created' | 'fulfilled'; readonly order: Order };
};

export type Draft = {
  /** Pays the network fee. */
  readonly sender: string;
  readonly calls: readonly Call[];
  /** The transaction fails: only the fee moves. */
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
  /** Token-2022 only: withheld from each transfer. Ignored on other families. */
  readonly feeBasisPoints?: number;
};

/** Thrown if a move exceeds the balance: an error of the actor that drafted it. */
export class Overdraft extends Error {
  override readonly name = 'Overdraft';
}

export type Writer<Block> = {
  readonly chain: string;
  readonly family: Family;
  readonly wrapped: Asset;
  /** A wallet: on Solana a point of the curve, so that it can have a key. */
  readonly newAddress: () => string;
  /** An address that a program or contract signs for: on Solana off the curve. */
  readonly newDerived: () => string;
  /** Marks an address as a program's (Solana: owned by `program`) or a contract (EVM). */
  readonly addContract: (address: string, program?: string) => void;
  readonly addToken: (options: TokenOptions) => Asset;
  /** Gives an address a balance before the first block. */
  readonly endow: (address: string, asset: Asset, amountRaw: bigint) => void;
  readonly balance: (address: string, asset: Asset) => bigint;
  /** The most that a plain transaction costs: actors leave it in the wallet. */
  readonly feeReserveRaw: bigint;
  /** The most that a plain payment of the coin costs: sweepers leave it behind. */
  readonly paymentFeeMaxRaw: bigint;
  readonly write: (draft: Draft) => Written;
  readonly open: (number: number, timeUnixSeconds: number) => void;
  readonly seal: () => Block;
};
