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
  /** Victims named at most. */
  readonly limit: number;
};

/**
 * How it was taken.
 *
 * - `transfer`: the victim signed the payment itself
 * - `approval`: a spender used an allowance (EVM)
 * - `delegate`: a delegate moved it (Solana)
 * - `authority`: a token account was handed to another owner with what it held
 * - `close_account`: an account was closed by another authority, and its coin taken
 * - `permit`: a spender used an allowance that the victim signed off chain
 * - `signed_order`: a public market took it for an order that the victim signed off chain
 * - `poisoned`: the victim signed a payment to a look-alike of an address that it knew
 */
export const METHODS = [
  'transfer',
  'approval',
  'delegate',
  'authority',
  'close_account',
  'permit',
  'signed_order',
  'poisoned',
] as const;
export type Method = (typeof METHODS)[number];

export type Loss = {
  readonly asset: ShownAsset;
  /** All that was taken of it in the transaction, partners' parts included. */
  readonly amountRaw: bigint;
  /** Of it what the address itself got. */
  readonly toSubjectRaw: bigint;
  /** Of it what was paid back later. */
  readonly refundedRaw: bigint;
  /** null where its worth is not known. */
  readonly usd: number | null;
  readonly usdSource: PriceSource | null;
  readonly signature: string;
  readonly timeUnixSeconds: number;
  readonly method: Method;
  /** Of a poisoned payment, whom it was meant for. */
  readonly intended: Address | null;
};

export type Victim = {
  readonly address: Address;
  readonly label: Label | null;
  /** In order of time. */
  readonly losses: readonly Loss[];
  /** Of losses whose worth is known, refunds taken off; null where none is. */
  readonly usd: number | null;
  /** Of everything that was paid back; null where its worth is not known. */
  readonly refundedUsd: number | null;
  readonly firstUnixSeconds: number;
  readonly lastUnixSeconds: number;
};

/** Why who paid the address is no victim. */
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
};

export type Affiliate = {
  readonly address: Address;
  readonly label: Label | null;
  /** Of what was taken in the transactions that it shared, by dollars where they are known, else the mean of its parts. */
  readonly share: number;
  readonly victims: number;
  readonly transactions: number;
  readonly usd: number | null;
  /** The latest, some of them. */
  readonly signatures: readonly string[];
};

/**
 * What somebody let the address, or a hand of it, do, and has not taken back.
 *
 * - `allowance`: a spender may take a token (EVM)
 * - `delegate`: a delegate may move what a token account holds (Solana)
 * - `authority`: an account or wallet belongs to another hand now, or may be closed by it
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
  /** What is left of it; null: everything, or no amount. */
  readonly amountRaw: bigint | null;
  /** What the holder has of it now; null where no asset is concerned. */
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
  /** Whose losses were paid back. */
  readonly refunded: readonly Victim[];
  readonly affiliates: readonly Affiliate[];
  readonly others: readonly OtherPayer[];
  /** The largest holding first. */
  readonly revocable: readonly OpenGrant[];
  readonly totals: {
    readonly victims: number;
    readonly transfers: number;
    /** null where the worth of no loss is known. */
    readonly usd: number | null;
    /** Losses of unknown worth, which the dollars leave out. */
    readonly unpriced: number;
    readonly refunded: number;
    readonly refundedUsd: number | null;
    readonly others: number;
  };
  readonly transactionsRead: number;
  /** What is missing, each as a sentence. */
  readonly gaps: readonly string[];
  readonly scope: 'full' | 'partial' | 'no_data';
  readonly span: ContiguousRange | null;
};
