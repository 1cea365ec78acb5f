import type { Address } from './address.ts';
import type { Asset } from './asset.ts';

/**
 * Who may act for whom, and who made what. The position in this list is the number stored in events and tables: append,
 * never reorder. `subject`, `holder` and `party` are said for each kind.
 *
 * - `contract_created`: `holder` (the transaction's sender) made `subject`; `party` is the contract that did it for him
 * - `mint_created`: `holder` made the token `subject` (Solana)
 * - `program_deployed`: `holder` deployed the program `subject` (Solana); `party` may upgrade it
 * - `program_upgraded`: the code behind `subject` changed; `party` is the new implementation or beacon, where there is one
 * - `authority_changed`: an authority over `subject`, named by `detail`, went from `holder` to `party`; null: it was given up
 * - `approval`: `party` may spend `amountRaw` of what `holder` has at `subject`; 0: revoked, from everybody where `party` is null
 * - `permit`: the same by a signature of `holder`, which somebody else sent; `byHolder` where he handed it in himself (Permit2)
 * - `frozen`, `thawed`: `party` froze what `holder` has at `subject`, or released it
 * - `metadata`: what the token `subject` calls itself, in `detail`
 * - `owner_assigned`: the wallet `subject` (also `holder`) was handed to the program `party` (Solana, System `Assign`)
 * - `code_delegated`: the wallet `subject` (also `holder`) runs the code of `party` (EIP-7702); null: no longer
 * - `calls`: `party` called the program `subject` `amountRaw` times in the block; null: all callers that are not named
 */
export const CONTROL_KINDS = [
  'contract_created',
  'mint_created',
  'program_deployed',
  'program_upgraded',
  'authority_changed',
  'approval',
  'permit',
  'frozen',
  'thawed',
  'metadata',
  'owner_assigned',
  'code_delegated',
  'calls',
] as const;

export type ControlKind = (typeof CONTROL_KINDS)[number];

/** The `detail` of an `authority_changed`. */
export type AuthorityRole =
  /** Of a token (Solana): who may issue it, freeze accounts, name it, take or hold back what others have. */
  | 'mint'
  | 'freeze'
  | 'metadata'
  | 'permanent_delegate'
  | 'transfer_fee'
  | 'transfer_hook'
  | 'pause'
  /** Of a token account: whose it is, who may close it. */
  | 'owner'
  | 'close'
  /** Of a program or proxy: who may change its code. On EVM chains a contract's owner is `owner`. */
  | 'upgrade'
  | 'proxy_admin'
  /** Of a stake, vote or nonce account. */
  | 'stake'
  | 'withdraw'
  | 'nonce'
  | 'vote'
  /** Any other, as the chain numbers them. */
  | `other:${number}`;

/**
 * The `detail` of an `approval` or `permit`: of a single NFT its number, `all` of what `holder` has at `subject`, or until
 * when the amount may be spent (unix seconds; Permit2). null: an amount, without an end.
 */
export type ApprovalScope = `id:${string}` | 'all' | `until:${string}`;

/** The name that a token gives itself. Any token can call itself USDC. */
export type TokenMetadata = { readonly name: string; readonly symbol: string; readonly uri: string };
const METADATA_TEXT_MAX = 128;

/** The `detail` of a `metadata` event: JSON, in which each text is cut. */
export const metadataDetail = ({ name, symbol, uri }: TokenMetadata): string => {
  const cut = (text: string): string => [...text].slice(0, METADATA_TEXT_MAX).join('');
  return JSON.stringify({ name: cut(name), symbol: cut(symbol), uri: cut(uri) });
};

/** What `metadataDetail` wrote. */
export const readMetadata = (detail: string): TokenMetadata => JSON.parse(detail) as TokenMetadata;

/** Of other kinds there is none, but for an upgrade of a beacon: `beacon`. */
export type ControlDetail = AuthorityRole | ApprovalScope | ReturnType<typeof metadataDetail> | 'beacon';

export type ControlEvent = {
  readonly txIndex: number;
  /** Position among the control events of its transaction, from 0. */
  readonly index: number;
  readonly kind: ControlKind;
  /** The token, token account, program, contract or wallet concerned. On EVM chains what somebody has is at the token. */
  readonly subject: Address;
  /** Whose it is or was. */
  readonly holder: Address | null;
  /** The new authority, delegate, spender, caller, implementation. */
  readonly party: Address | null;
  /** The mint of a token account; null where `subject` is itself the token, or none is concerned. */
  readonly asset: Asset | null;
  /** 0 where the kind has none, and where an approval is revoked. */
  readonly amountRaw: bigint;
  readonly detail: ControlDetail | null;
  /**
   * The contract that logged it, where that is not `subject`. Null, too, for the chain's own programs (System, Token,
   * loaders). Any contract can log anything.
   */
  readonly emitter: Address | null;
  /**
   * Whether `holder` acted himself: he sent or signed the transaction, or a trace shows that he called the contract
   * that logged it. What an unlisted token logs about others proves nothing.
   */
  readonly byHolder: boolean;
};

/**
 * How much of a block's control events its decoder keeps. The position in this list is the number stored: append, and
 * only what keeps more.
 *
 * - `none`: nothing, as before there were such events: missing events say nothing
 * - `outer`: without calls inside transactions, as the node gave no traces: contracts that contracts made are missing
 * - `full`: all
 */
export const CONTROL_COVERAGES = ['none', 'outer', 'full'] as const;
export type ControlCoverage = (typeof CONTROL_COVERAGES)[number];
