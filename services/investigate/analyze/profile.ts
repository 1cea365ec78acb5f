import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { AssetFacts } from '../model/describe-asset.ts';
import type { History } from '../model/history-coverage.ts';
import type { Label, LabelKind } from '../model/label.ts';
import type { Entry, SaidLabel } from '../model/profile-reader.ts';
import type { Direction } from '../model/trace-reader.ts';
import type { ContiguousRange, TransactionPosition } from '../model/transfer-reader.ts';
import type { Behaviour } from './behaviours/behaviour.ts';
import type { FrozenBalance, ProgramProfile, TokenProfile } from './control/control-profile.ts';
import type { FundingChain } from './funding-chain.ts';
import type { Risk } from './risk/find-risk.ts';

export type AnalyzeRequest = { readonly chain: Chain; readonly address: Address };

export const IDENTITY_TYPES = [
  'wallet',
  'program',
  'token',
  'exchange',
  'bridge',
  'mixer',
  'dex',
  'contract',
  'sanctioned',
  'hack',
] as const;
export type IdentityType = (typeof IDENTITY_TYPES)[number];

/** A guess about an address without a label. It never replaces a label. */
export type Prediction = {
  readonly type: IdentityType;
  readonly confidence: number;
  readonly why: string;
};

export type Identity = {
  /** null when nothing is known of the address. */
  readonly type: IdentityType | null;
  readonly name: string | null;
  readonly entity: string | null;
  /** For a customer's deposit address: the exchange. */
  readonly owner: string | null;
  readonly predicted: Prediction | null;
};

/** A transfer with its dollar value at the time; null when unknown. */
export type Transfer = Omit<Entry, 'counterparty'> & {
  readonly counterparty: Address;
  readonly usd: number | null;
};

/**
 * Times are unix seconds. Dollars cover the rows that were read; null when these are not all, or when none
 * has a price.
 */
export type Activity = {
  /** Which part was read, as a sentence; null: the whole history. */
  readonly seenIn: string | null;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly transactions: number;
  readonly transfersIn: number;
  readonly transfersOut: number;
  readonly counterparties: number;
  readonly usdIn: number | null;
  readonly usdOut: number | null;
};

export type Balance = {
  readonly asset: Asset;
  readonly facts: AssetFacts;
  /** null when the rows are not the wallet's whole history and no node reports the balance. */
  readonly amountRaw: bigint | null;
  readonly usd: number | null;
  /** `node`: as of now. `rows`: as of the newest indexed block. */
  readonly source: 'rows' | 'node' | null;
};

/** Transfers in one direction between the wallet and a counterparty. Times are unix seconds. */
export type Side = {
  readonly count: number;
  readonly usd: number | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly largest: Transfer | null;
};

/** An input for /trace: the coin and stablecoins of one transaction with a mixer or an exchange. */
export type TraceableTransfer = TransactionPosition & {
  readonly direction: Direction;
  readonly counterparty: Address;
  /** Whole units of the chain's coin, or of all stablecoins together. */
  readonly coin: number;
  readonly usd: number;
  readonly largest: Transfer;
};

export type Connection = {
  readonly address: Address;
  readonly label: Label | null;
  readonly in: Side;
  readonly out: Side;
  readonly transfers: readonly TraceableTransfer[];
};

export type ServiceUse = {
  readonly name: string;
  readonly kind: 'exchange' | 'mixer';
  readonly in: Pick<Side, 'count' | 'usd'>;
  readonly out: Pick<Side, 'count' | 'usd'>;
  readonly latest: Transfer;
};

/** `victim` dealt with both. `address` was made to look like `of`. */
export type Lookalike = TransactionPosition & {
  /** Which blocks show which of the two is older, as a sentence; null: the histories are whole. */
  readonly seenIn: string | null;
  readonly role: 'imitation' | 'victim';
  readonly address: Address;
  readonly of: Address;
  readonly victim: Address;
};

export type Scope = 'full' | 'partial' | 'database';

export type ProfileMeta = {
  readonly scope: Scope;
  /** The reason for anything but `full`; otherwise null. */
  readonly detail: string | null;
  readonly transactionsRead: number;
  readonly complete: boolean;
  readonly span: ContiguousRange | null;
  readonly indexHead: number | null;
};

export type Profile = {
  readonly chain: Chain;
  readonly address: Address;
  readonly identity: Identity;
  readonly labels: readonly SaidLabel[];
  readonly risk: Risk;
  readonly funding: FundingChain | null;
  readonly activity: Activity | null;
  readonly balances: readonly Balance[];
  readonly behaviours: readonly Behaviour[];
  readonly connections: readonly Connection[];
  readonly services: readonly ServiceUse[];
  readonly lookalikes: readonly Lookalike[];
  /** null: unknown, because such events are not kept. Empty: checked, and none found. */
  readonly frozen: readonly FrozenBalance[] | null;
  /** Only for a token. */
  readonly token: TokenProfile | null;
  /** Only for a program or contract. */
  readonly program: ProgramProfile | null;
  readonly facts: ReadonlyMap<Asset, AssetFacts>;
  readonly history: History;
  /** By `transactionKey`. */
  readonly signatures: ReadonlyMap<string, string>;
  readonly meta: ProfileMeta;
};

/** Label kinds that state the purpose of an address. `other` only states its owner. */
export const identityOfKind = (kind: LabelKind): IdentityType => (kind === 'other' ? 'wallet' : kind);
