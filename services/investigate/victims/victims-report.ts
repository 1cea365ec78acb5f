import type { Address } from '../model/address.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { PriceSource } from '../model/price-reader.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';
import type { ShownAsset } from '../model/value-amounts.ts';

export type VictimsRequest = {
  readonly chain: Chain;
  readonly address: Address;
  readonly fromUnixSeconds: number;
  readonly toUnixSeconds: number;
  /** Maximum number of victims reported. */
  readonly limit: number;
};

/**
 * How it was taken.
 *
 * - `transfer`: the victim signed the payment itself
 * - `approval`: a spender used an allowance (EVM)
 * - `delegate`: a delegate moved it (Solana)
 * - `authority`: a token account with its balance was assigned to another owner
 * - `close_account`: another authority closed an account and took its coin
 * - `permit`: a spender used an allowance that the victim signed off chain
 * - `signed_order`: a public market moved it under an order that the victim signed off chain
 * - `code`: code to which the victim's wallet was delegated paid it (EIP-7702)
 * - `poisoned`: the victim signed a payment to a look-alike of one of its counterparties
 */
export const METHODS = [
  'transfer',
  'approval',
  'delegate',
  'authority',
  'close_account',
  'permit',
  'signed_order',
  'code',
  'poisoned',
] as const;
export type Method = (typeof METHODS)[number];

export type Loss = {
  readonly asset: ShownAsset;
  /** All that was taken in the transaction, including the partners' parts. */
  readonly amountRaw: bigint;
  /** The part that the address itself got. */
  readonly toSubjectRaw: bigint;
  /** The part that was paid back later. */
  readonly refundedRaw: bigint;
  /** null when the value is unknown. */
  readonly usd: number | null;
  readonly usdSource: PriceSource | null;
  readonly signature: string;
  readonly timeUnixSeconds: number;
  readonly method: Method;
  /** For a poisoned payment: the intended recipient. */
  readonly intended: Address | null;
};

export type Victim = {
  readonly address: Address;
  readonly label: Label | null;
  /** In order of time. */
  readonly losses: readonly Loss[];
  /** Sum of the losses of known value, less refunds; null when no value is known. */
  readonly usd: number | null;
  /** Sum of all refunds; null when the value is unknown. */
  readonly refundedUsd: number | null;
  readonly firstUnixSeconds: number;
  readonly lastUnixSeconds: number;
};

/** Why a payer of the address is no victim. */
export const NO_VICTIM_REASONS = [
  'service',
  'own_wallet',
  'partner',
  'was_paid',
  'exchanged',
  'contract',
  'airdrop',
  'dust',
  'unproven_token',
] as const;
export type NoVictim = (typeof NO_VICTIM_REASONS)[number];

export type OtherPayer = {
  readonly address: Address;
  readonly label: Label | null;
  readonly reason: NoVictim;
  readonly transactions: number;
  /** What the address got of it, as far as priced; null when no value is known. */
  readonly usd: number | null;
};

export type Affiliate = {
  readonly address: Address;
  readonly label: Label | null;
  /** Share of the shared transactions' losses: by dollars when known, otherwise the mean of its parts. */
  readonly share: number;
  readonly victims: number;
  readonly transactions: number;
  readonly usd: number | null;
  /** Some of the latest. */
  readonly signatures: readonly string[];
};

/**
 * A grant that a holder gave the address or one of its spenders and has not withdrawn.
 *
 * - `allowance`: a spender may take a token (EVM)
 * - `delegate`: a delegate may move what a token account holds (Solana)
 * - `authority`: another address owns the account or wallet now, or may close it
 * - `code`: the wallet runs the code of another (EIP-7702)
 */
export type OpenGrant = {
  readonly kind: 'allowance' | 'delegate' | 'authority' | 'code';
  readonly holder: Address;
  readonly label: Label | null;
  /** Who may take it. */
  readonly hand: Address;
  /** The token account, wallet or token concerned. */
  readonly subject: Address;
  readonly asset: ShownAsset | null;
  /** The remaining amount; null: everything, or no amount. */
  readonly amountRaw: bigint | null;
  /** The holder's balance now; null when no asset is concerned, or its whole history is not indexed. */
  readonly heldRaw: bigint | null;
  readonly signature: string;
  readonly timeUnixSeconds: number;
  readonly canRevoke: boolean;
  /** What to do, as a sentence. */
  readonly detail: string;
};

export type VictimsReport = {
  readonly request: VictimsRequest;
  readonly label: Label | null;
  /** The largest loss first. */
  readonly victims: readonly Victim[];
  /** Victims whose losses were repaid. */
  readonly refunded: readonly Victim[];
  readonly affiliates: readonly Affiliate[];
  readonly others: readonly OtherPayer[];
  /** The largest balance at risk first. */
  readonly revocable: readonly OpenGrant[];
  readonly totals: {
    readonly victims: number;
    readonly transfers: number;
    /** null when the value of no loss is known. */
    readonly usd: number | null;
    /** Number of losses of unknown value, which the dollars leave out. */
    readonly unpriced: number;
    readonly refunded: number;
    readonly refundedUsd: number | null;
    readonly others: number;
    /** Those of them that are contracts, and what these paid, as far as priced: it may have been their users' money. */
    readonly contracts: number;
    readonly contractsUsd: number | null;
  };
  readonly transactionsRead: number;
  /** Missing data, one sentence each. */
  readonly gaps: readonly string[];
  readonly scope: 'full' | 'partial' | 'no_data';
  readonly span: ContiguousRange | null;
};
