import type { Address } from '../../model/address.ts';
import type { Label } from '../../model/label.ts';
import type { Price } from '../../model/price-reader.ts';
import type { ContiguousRange, TransactionPosition } from '../../model/transfer-reader.ts';
import type { Fate, RestOutcome } from '../fates/fate.ts';
import type { Part } from '../inner/divide-inner-path.ts';
import type { Rest } from '../rest.ts';
import type { Passed as Contract, FarSide, FollowedAsset, FollowRequest, ShownPosition } from '../trail.ts';
import type { SwapOutput, TruncatedRead } from '../why.ts';

/** Where the flow begins: a wallet, and which of its money is followed. */
export type FlowStart = Pick<FollowRequest, 'start' | 'atUnixSeconds' | 'amount' | 'counterparty'>;

export type FlowRequest = Pick<FollowRequest, 'chain' | 'canonicalAsset' | 'maxHops'> & {
  /** At least one, each wallet once. The order does not matter. */
  readonly starts: readonly FlowStart[];
  readonly budget: { readonly calls: number; readonly seconds: number };
  /** Wallets that are expected to have got less are not read. */
  readonly minUsd: number;
  /** Payments that are less probable are not followed. */
  readonly minProbability: number;
};

/** A payment that may have moved the money on. */
export type FlowPayment = TransactionPosition & {
  readonly from: Address;
  readonly amountRaw: bigint;
  /** That it is the starts' money: the probability of the likeliest way to `from` times this payment's own. */
  readonly probability: number;
  /** Everything that had arrived had already left before it. */
  readonly isBeyond: boolean;
} & (
    | ({ readonly type: 'transfer' } & Omit<Part, 'amountRaw'>)
    | {
        readonly type: 'swap';
        /** Who got most of what came back. */
        readonly by: Address;
        readonly output: Pick<SwapOutput, 'asset' | 'amountRaw'>;
        /** Who gave it; null where it was issued. */
        readonly through: Address | null;
      }
  );

export type FlowTransfer = Extract<FlowPayment, { type: 'transfer' }>;

export const END_REASONS = ['exchange', 'bridge', 'mixer', 'dex_swap', 'at_rest', 'no_data'] as const;
export type FlowEndReason = (typeof END_REASONS)[number];

/** Why a wallet that the money reached was not read. */
export const FRONTIER_REASONS = [
  'max_hops',
  'min_usd',
  'min_probability',
  'calls',
  'seconds',
  'size',
  'unread',
] as const;
export type FrontierReason = (typeof FRONTIER_REASONS)[number];

/** Raw units of the traced money, divided among payments by probability. Nothing is lost or added. */
export type Traced = { readonly arrivedRaw: bigint; readonly leftRaw: bigint; readonly restRaw: bigint };

export type FlowNode = Traced & {
  readonly address: Address;
  readonly label: Label | null;
  readonly isStart: boolean;
  /** Payments on the shortest way from a start. */
  readonly hops: number;
  /** Of the likeliest payment that reached it. */
  readonly probability: number;
  /** null if the money moved on or the wallet was not read. */
  readonly end: FlowEndReason | null;
  /** With `no_data`: which part of its history to read next; null: all of it. */
  readonly unread: Rest | null;
};

export type FlowEdge = {
  readonly from: Address;
  readonly to: Address;
  /** Contracts that passed it on within its transactions; mostly none. */
  readonly through: readonly Contract[];
  /** Of the traced money. */
  readonly tracedRaw: bigint;
  /** All that these payments carried. */
  readonly movedRaw: bigint;
  /** Of the traced money that reached `from`. */
  readonly share: number;
  readonly probability: number;
  readonly isBeyond: boolean;
  readonly transactions: readonly {
    readonly signature: string;
    readonly amountRaw: bigint;
    readonly timeUnixSeconds: number;
  }[];
  readonly transactionsTotal: number;
};

/** What came out of a swap or a bridge, and how much of it for the traced money. */
type Traceable<Output extends { readonly amountRaw: bigint | null }> = Output & {
  readonly tracedRaw: Output['amountRaw'];
};

export type FlowEnd = {
  readonly reason: FlowEndReason;
  readonly address: Address;
  /** Who sold it; differs from `wallet` only if somebody else got the proceeds. */
  readonly from: Address;
  readonly label: Label | null;
  readonly amountRaw: bigint;
  readonly probability: number;
  /** Of a swap: the asset that most of the money was given for, since the first time. */
  readonly output: (Traceable<SwapOutput> & { readonly sinceUnixSeconds: number }) | null;
  /** Of a bridge: where the largest payments into it came out, as far as that was found. */
  readonly crossings: readonly Traceable<FarSide>[];
  /** Of a swap: how much of it was a deposit, for which a receipt was got. */
  readonly positionRaw: bigint;
  /** Whether `output` is such a receipt, and who pays it back if a list or a label names him. */
  readonly position?: { readonly issuer: string | null };
  /** Of money at rest. */
  readonly fate: Fate;
};

export type FrontierWallet = {
  readonly address: Address;
  readonly reason: FrontierReason;
  readonly amountRaw: bigint;
  readonly probability: number;
};

/** What is still in a wallet that was read. These add up to the resting part. */
export type Resting = Pick<FlowNode, 'address' | 'label' | 'probability'> & {
  readonly amountRaw: bigint;
  readonly fate: Fate;
};

/** Where money is now: at an end, in a wallet that was read, or where it was not followed. */
export type FlowOutcome = Exclude<FlowEndReason, 'no_data'> | RestOutcome | 'position' | 'frontier';
export type OutcomeSum = { readonly outcome: FlowOutcome; readonly amountRaw: bigint };

/** Where the taken money is. These add up to it. */
export type Coverage = {
  readonly takenRaw: bigint;
  readonly endsRaw: bigint;
  readonly restRaw: bigint;
  readonly frontierRaw: bigint;
};

export type FlowGraph = {
  readonly request: FlowRequest;
  readonly asset: FollowedAsset;
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly ends: readonly FlowEnd[];
  readonly rests: readonly Resting[];
  readonly frontier: readonly FrontierWallet[];
  readonly coverage: Coverage;
  /** These add up to what was taken. */
  readonly outcomes: readonly OutcomeSum[];
  /** Whether it was read what became of the money at rest. */
  readonly areFatesRead: boolean;
  /** Deposits that were paid back to the wallet that had made them. */
  readonly positions: readonly (ShownPosition & { readonly wallet: Address })[];
  /** At `pricedAtUnixSeconds`; null where it is unknown. */
  readonly price: Price | null;
  /** When the money began to move; null where none did. */
  readonly pricedAtUnixSeconds: number | null;
  readonly cuts: readonly TruncatedRead[];
  readonly span: ContiguousRange | null;
  readonly isComplete: boolean;
  readonly read: ReadCounts;
};

/** Queries about transfers, the wallets whose transfers were read, and the rows that came. */
export type ReadCounts = { readonly questions: number; readonly wallets: number; readonly rows: number };
