import type { BridgeTransfer } from './bridge-transfer.ts';
import type { ControlCoverage, ControlEvent } from './control-event.ts';
import type { Movement, Swap } from './movement.ts';

/** A transaction that moved something, of which a bridge told, or with a control event; others are not listed. */
export type BlockTransaction = {
  readonly txIndex: number;
  /** Base58 signature, or 0x-prefixed lower-case hash. */
  readonly hash: string;
  /** Fee payer, or the EVM transaction's `from`. */
  readonly sender: string;
};

/** What a block says about an asset it moved. */
export type AssetFact = { readonly asset: string; readonly decimals: number };

/**
 * Something in the block that could not be decoded. The rest of the block stands.
 * `txIndex` is null where the problem is the block's own.
 */
export type DecodeProblem = {
  readonly code: string;
  readonly txIndex: number | null;
  readonly message: string;
};

/** The movements of one block, whatever the chain: what decoders make and events carry. */
export type DecodedBlock = {
  readonly chain: string;
  /** Slot on Solana, block number on an EVM chain. */
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** The parent's slot or number; null where the block does not say. */
  readonly parentNumber: number | null;
  /** null where the source has none (early Solana blocks). */
  readonly timeUnixSeconds: number | null;
  readonly transactions: readonly BlockTransaction[];
  /** Ordered by transaction, then by `index`; the block's own rows last. */
  readonly movements: readonly Movement[];
  readonly swaps: readonly Swap[];
  /** Of listed transactions. */
  readonly bridgeTransfers: readonly BridgeTransfer[];
  /** Of listed transactions, in their order. */
  readonly controlEvents: readonly ControlEvent[];
  readonly controlCoverage: ControlCoverage;
  readonly assets: readonly AssetFact[];
  /** Sum of the vote fees that a decoder was told not to list one by one; 0 elsewhere. */
  readonly voteFeesRaw: bigint;
  readonly problems: readonly DecodeProblem[];
  /** Transactions for which the sum rule cannot hold, by reason; see docs/decisions. */
  readonly exempt: Readonly<Record<string, readonly number[]>>;
};
