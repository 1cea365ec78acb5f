import type { BridgeTransfer } from './bridge-transfer.ts';
import type { ControlCoverage, ControlEvent } from './control-event.ts';
import type { Movement, Swap } from './movement.ts';

/** A transaction with a movement, a bridge transfer or a control event. Others are not listed. */
export type BlockTransaction = {
  readonly txIndex: number;
  /** Base58 signature, or 0x-prefixed lower-case hash. */
  readonly hash: string;
  /** Fee payer, or the EVM transaction's `from`. */
  readonly sender: string;
};

/** Facts about an asset that the block contains. */
export type AssetFact = { readonly asset: string; readonly decimals: number };

/**
 * A part of the block that could not be decoded. The rest of the block is valid. `txIndex` is null when the
 * problem concerns the block itself.
 */
export type DecodeProblem = {
  readonly code: string;
  readonly txIndex: number | null;
  readonly message: string;
};

/** The movements of one block on any chain, as decoders produce them and events carry them. */
export type DecodedBlock = {
  readonly chain: string;
  /** Slot on Solana, block number on an EVM chain. */
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** The parent's slot or number; null when the block does not contain it. */
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
  /** The sum of vote fees that the decoder was told not to list individually; otherwise 0. */
  readonly voteFeesRaw: bigint;
  readonly problems: readonly DecodeProblem[];
  /** Transactions for which the sum rule cannot hold, by reason; see docs/decisions. */
  readonly exempt: Readonly<Record<string, readonly number[]>>;
};
