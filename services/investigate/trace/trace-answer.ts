import type { Address } from '../model/address.ts';
import type { CanonicalAsset } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { Direction, IndexedSpan, TimeRange } from '../model/trace-reader.ts';
import type { Mode } from './matches/fee-model.ts';

/** `coin` and `usd` are whole units as the caller knows them; they count only where the transaction is not found. */
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
  /** What the caller left out: the chain says it, where the transaction is indexed. The values above are 0 then. */
  readonly missing: readonly AnchorField[];
};

/** In the words of the request. */
export type AnchorField = 'time' | 'sol' | 'usd';

/** What the caller said otherwise than the chain, which is believed. */
export type Correction = { readonly field: AnchorField; readonly said: number; readonly found: number };

export type Holding = { readonly canonicalAsset: CanonicalAsset; readonly amountRaw: bigint };

/** What moved beside what is traced; `counterparty`: with whom to ask for it, where that is somebody else. */
export type LeftOut = Holding & { readonly counterparty?: Address };

/** Why the chain rather than the caller's word is believed, or not. */
export type Anchor = {
  readonly signature: string;
  readonly timeUnixSeconds: number;
  /** What moved. Several only where the caller's dollars may have been any stablecoin. */
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

/** `grade` tells apart how telling it is: the weights are fitted for each. */
export type Evidence<Proof> = {
  readonly family: EvidenceFamily;
  readonly grade: Grade;
  readonly detail: string;
  /** The most that it adds to the logarithm of the odds, where chance alone brings it about that often; none if unset. */
  readonly weightMax?: number;
  /** Transactions that show it. */
  readonly proofs: readonly Proof[];
};

/** A transaction that shows evidence, with what moved there from or to one of the two wallets; null where that was no money. */
export type ShownProof = {
  readonly signature: string;
  readonly timeUnixSeconds: number;
  readonly moved: Holding | null;
};

export type Tier = 'trivial' | 'strong' | 'likely' | 'weak' | 'loose' | 'distant';

export type Candidate = {
  readonly wallet: Address;
  readonly signature: string;
  /** How its amount was compared; of several, the way by which chance fits least often. */
  readonly mode: Mode;
  readonly canonicalAsset: CanonicalAsset;
  readonly amountRaw: bigint;
  readonly timeUnixSeconds: number;
  readonly deltaSeconds: number;
  readonly tier: Tier;
  readonly confidence: number;
  /** How many transfers could have been this one: the anonymity set, and for a part of an amount all that may be parts as well. */
  readonly crowd: number;
  readonly via: Address | null;
  readonly label: Label | null;
  readonly sameWallet: boolean;
  readonly evidence: readonly (Evidence<string> & { readonly transactions: readonly ShownProof[] })[];
  /** Fitting transfers of this wallet in the window. */
  readonly transfers: number;
  /** Of its transfers of the coin and of stablecoins the earliest known: its own match, where the wallet was fresh. No evidence. */
  readonly firstSeenUnixSeconds: number | null;
};

export type TraceWindow = TimeRange & {
  readonly searched: readonly Address[];
  readonly searchedTotal: number;
  /** Fitting transfers that were read, those of known others included. */
  readonly transactions: number;
  readonly complete: boolean;
};

export type Trace = {
  readonly chain: Chain;
  readonly entity: string;
  readonly kind: IntermediaryKind;
  readonly direction: 'forward' | 'backward';
  readonly anchor: Anchor;
  readonly window: TraceWindow;
  readonly anonymitySet: number;
  /** Transfers that fit but went to, or came from, somebody known: a service, this one itself included, or a contract. */
  readonly excluded: number;
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** How many there are, shown or not. */
  readonly candidatesTotal: number;
  readonly scope: 'full' | 'partial' | 'no_data';
  /** What keeps the scope from being full, as sentences ready to show. */
  readonly detail: string | null;
  /** When the first and the newest indexed block of the chain were made. */
  readonly indexed: IndexedSpan | null;
};

export type RefusalCode =
  | 'counterparty_not_traceable'
  | 'nothing_to_trace'
  | 'anchor_contradicted'
  | 'anchor_not_indexed';

/** The request is well formed and cannot be answered: `field` is the one to change, `message` says how. */
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
