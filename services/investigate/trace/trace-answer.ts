import type { Address } from '../model/address.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { HistorySide } from '../model/history.ts';
import type { Label } from '../model/label.ts';
import type { Direction, IndexedSpan, TimeRange } from '../model/trace-reader.ts';
import type { Mode } from './matches/fee-model.ts';

/**
 * `coin` and `usd` are whole units as the caller states them. They count only when the transaction is not
 * indexed.
 */
export type TraceRequest = {
  readonly chain: Chain;
  readonly wallet: Address;
  readonly counterparty: Address;
  readonly signature: string;
  /** `out`: the wallet paid in and is traced forward. */
  readonly direction: Direction;
  readonly timeUnixSeconds: number;
  readonly coin: number;
  readonly usd: number;
  readonly windowSeconds: number | null;
  /**
   * The fields that the caller omitted. The chain supplies them when the transaction is indexed; the values
   * above are 0 then.
   */
  readonly missing: readonly AnchorField[];
};

/** In the words of the request. */
export type AnchorField = 'time' | 'sol' | 'usd';

/** Statements of the caller that the chain contradicts. The chain is believed. */
export type Correction = { readonly field: AnchorField; readonly said: number; readonly found: number };

export type Holding = { readonly canonicalAsset: CanonicalAsset; readonly amountRaw: bigint };

/**
 * Value that moved beside the traced one. `counterparty`: the one to use in a request for it, when it is
 * another.
 */
export type LeftOut = Holding & { readonly counterparty?: Address };

/** Whether the chain or the caller's statement is believed, and why. */
export type Anchor = {
  readonly signature: string;
  readonly timeUnixSeconds: number;
  /** The amounts moved. Several only when the caller's dollars may have been any stablecoin. */
  readonly moved: readonly Holding[];
  readonly verified: boolean;
  readonly corrections: readonly Correction[];
};

export type IntermediaryKind = 'mixer' | 'exchange';

export const EVIDENCE_FAMILIES = [
  'same_wallet',
  'direct_transfer',
  'gas_by_depositor',
  'shared_funder',
  'shared_deposit_address',
  'shared_payee',
  'equal_counts',
  'multi_pool',
  'exact_amount',
  'fee_fit',
  'equal_worth',
] as const;

export type EvidenceFamily = (typeof EVIDENCE_FAMILIES)[number];

export const GRADES = ['strong', 'plain'] as const;
export type Grade = (typeof GRADES)[number];

/** `grade` is the strength class of the evidence; the weights are fitted for each. */
export type Evidence<Proof> = {
  readonly family: EvidenceFamily;
  readonly grade: Grade;
  readonly detail: string;
  /**
   * Upper bound of what it adds to the log-odds, when chance alone brings it about that often; unbounded if
   * unset.
   */
  readonly weightMax?: number;
  /** Transactions that show it. */
  readonly proofs: readonly Proof[];
};

/**
 * A transaction that shows evidence, with the transfer from or to one of the two wallets; null when no money
 * moved.
 */
export type ShownProof = {
  readonly signature: string;
  readonly timeUnixSeconds: number;
  readonly moved: Holding | null;
};

export type Tier = 'trivial' | 'strong' | 'likely' | 'weak' | 'loose' | 'distant';

export type Candidate = {
  readonly wallet: Address;
  readonly signature: string;
  /** How its amount was compared; with several ways, the one that matches least often by chance. */
  readonly mode: Mode;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  readonly timeUnixSeconds: number;
  readonly deltaSeconds: number;
  readonly tier: Tier;
  readonly confidence: number;
  /**
   * How many transfers could have been this one: the anonymity set. For a part of an amount, all possible
   * parts count.
   */
  readonly crowd: number;
  readonly via: Address | null;
  readonly label: Label | null;
  readonly sameWallet: boolean;
  readonly evidence: readonly (Evidence<string> & { readonly transactions: readonly ShownProof[] })[];
  /** Matching transfers of this wallet in the window. */
  readonly transfers: number;
  /**
   * The earliest known transfer of the coin or stablecoins: its own match, when the wallet was fresh. Not
   * evidence.
   */
  readonly firstSeenUnixSeconds: number | null;
};

export type TraceWindow = TimeRange & {
  readonly searched: readonly Address[];
  readonly searchedTotal: number;
  /** Matching transfers that were read, including those of known other parties. */
  readonly transactions: number;
  readonly complete: boolean;
};

/** Whose histories tell of the other side, and which part of them. */
export type Crowd = {
  readonly addresses: readonly Address[];
  /** Whether the service has more. */
  readonly isCut: boolean;
  readonly anchorBlock: number;
  /** null: the anchor may be of several assets. */
  readonly asset: CanonicalAsset | null;
  readonly side: HistorySide;
  /** Whether what follows the anchor is needed, or what came before it. */
  readonly isForward: boolean;
  /** The end of the window. */
  readonly toUnixSeconds: number;
};

export type Trace = {
  readonly chain: Chain;
  readonly entity: string;
  readonly kind: IntermediaryKind;
  readonly direction: 'forward' | 'backward';
  readonly anchor: Anchor;
  readonly window: TraceWindow;
  readonly anonymitySet: number;
  /** Matching transfers to or from a known party: a service, this one itself, or a contract. */
  readonly excluded: number;
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** Their total number, shown or not. */
  readonly candidatesTotal: number;
  readonly scope: 'full' | 'partial' | 'no_data';
  /** The reasons why the scope is not full, as sentences ready to show. */
  readonly detail: string | null;
  /** The times of the chain's first and newest indexed block. */
  readonly indexed: IndexedSpan | null;
  /** What must be read of the service where the blocks of the window are not indexed; null: they are, or it is not known. */
  readonly crowd: Crowd | null;
};

export type RefusalCode =
  | 'counterparty_not_traceable'
  | 'nothing_to_trace'
  | 'anchor_contradicted'
  | 'anchor_not_indexed';

/**
 * The request is well formed but cannot be answered. `field` is the one to change; `message` explains how.
 */
export class TraceRefusedError extends Error {
  readonly code: RefusalCode;
  readonly field: string;
  constructor(code: RefusalCode, field: string, message: string) {
    super(message);
    this.name = 'TraceRefusedError';
    this.code = code;
    this.field = field;
  }
}
