import type { Address } from './address.ts';
import type { Asset } from './asset.ts';

/**
 * Events about who may act for whom, and who created what. The position in this list is the number stored in events
 * and tables: append, never reorder. `subject`, `holder` and `party` depend on the kind:
 *
 * - `contract_created`: `holder` (the transaction's sender) created `subject`; `party` is the factory contract that did it for him
 * - `mint_created`: `holder` created the token `subject` (Solana)
 * - `program_deployed`: `holder` deployed the program `subject` (Solana); `party` may upgrade it
 * - `program_upgraded`: the code behind `subject` changed; `party` is the new implementation or beacon, if any
 * - `authority_changed`: an authority over `subject`, named by `detail`, went from `holder` to `party`; null: it was given up
 * - `approval`: `party` may spend `amountRaw` of what `holder` has at `subject`; 0: revoked, for everybody when `party` is null
 * - `permit`: the same by a signature of `holder` that somebody else submitted; `byHolder` when he submitted it himself (Permit2)
 * - `frozen`, `thawed`: `party` froze what `holder` has at `subject`, or released it
 * - `metadata`: the token `subject` named itself, in `detail`
 * - `owner_assigned`: the wallet `subject` (also `holder`) was assigned to the program `party` (Solana, System `Assign`)
 * - `code_delegated`: the wallet `subject` (also `holder`) runs the code of `party` (EIP-7702); null: no longer
 * - `account_acted`: the account `subject` did what its owners had signed, whoever sent it (multisignature wallets, ERC-4337)
 * - `calls`: `party` called the program `subject` `amountRaw` times in the block; null: all other callers
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
  'account_acted',
] as const;

export type ControlKind = (typeof CONTROL_KINDS)[number];

/** The `detail` of an `authority_changed`. */
export type AuthorityRole =
  /**
   * Of a token (Solana): who may issue it, freeze accounts, name it, and take or hold back holders' balances.
   */
  | 'mint'
  | 'freeze'
  | 'metadata'
  | 'permanent_delegate'
  | 'transfer_fee'
  | 'transfer_hook'
  | 'pause'
  /** Of a token account: its owner, and who may close it. */
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
  /** Any other authority, with the chain's own number. */
  | `other:${number}`;

/**
 * The `detail` of an `approval` or `permit`: the number of a single NFT, `all` for everything that `holder`
 * has at `subject`, or the expiry of an amount (unix seconds; Permit2). null: an amount without an expiry.
 */
export type ApprovalScope = `id:${string}` | 'all' | `until:${string}`;

/** The name that a token gives itself. Any token can call itself USDC. */
export type TokenMetadata = { readonly name: string; readonly symbol: string; readonly uri: string };
const METADATA_TEXT_MAX = 128;

/** The `detail` of a `metadata` event: JSON with truncated texts. */
export const metadataDetail = ({ name, symbol, uri }: TokenMetadata): string => {
  const cut = (text: string): string => [...text].slice(0, METADATA_TEXT_MAX).join('');
  return JSON.stringify({ name: cut(name), symbol: cut(symbol), uri: cut(uri) });
};

/** Parses the output of `metadataDetail`. */
export const readMetadata = (detail: string): TokenMetadata => JSON.parse(detail) as TokenMetadata;

/** Other kinds have no detail, except an upgrade of a beacon: `beacon`. */
export type ControlDetail = AuthorityRole | ApprovalScope | ReturnType<typeof metadataDetail> | 'beacon';

export type ControlEvent = {
  readonly txIndex: number;
  /** Position among the control events of its transaction, from 0. */
  readonly index: number;
  readonly kind: ControlKind;
  /**
   * The token, token account, program, contract or wallet concerned. On EVM chains a balance is recorded at
   * the token.
   */
  readonly subject: Address;
  /** The current or previous owner. */
  readonly holder: Address | null;
  /** The new authority, delegate, spender, caller or implementation. */
  readonly party: Address | null;
  /** The mint of a token account; null when `subject` is itself the token, or when no token is concerned. */
  readonly asset: Asset | null;
  /** 0 when the kind has no amount, and when an approval is revoked. */
  readonly amountRaw: bigint;
  readonly detail: ControlDetail | null;
  /**
   * The contract that logged the event, when that is not `subject`. Also null for the chain's own programs
   * (System, Token, loaders). Any contract can log anything.
   */
  readonly emitter: Address | null;
  /**
   * Whether `holder` acted himself: he sent or signed the transaction, or a trace shows that he called the
   * contract that logged the event. What an unlisted token logs about others proves nothing.
   */
  readonly byHolder: boolean;
};

/**
 * How much of a block's control events its decoder kept. The position in this list is the stored number: append only,
 * and only levels that keep more.
 *
 * - `none`: nothing, as before control events existed: missing events prove nothing
 * - `outer`: without inner calls, because the node gave no traces: contracts created by contracts are missing
 * - `full`: all
 */
export const CONTROL_COVERAGES = ['none', 'outer', 'full'] as const;
export type ControlCoverage = (typeof CONTROL_COVERAGES)[number];
