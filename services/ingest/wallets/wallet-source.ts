import type { DecodedBlock } from '../../investigate/model/block.ts';

export type WalletLimits = {
  /** The newest so many transactions are read. */
  readonly transactionsMax: number;
};

/** What stays unknown of a wallet's history after it was read. */
export type WalletCoverage =
  | 'complete'
  /** There are more transactions than were asked for. */
  | 'older_left_out'
  /** Transfers of the chain's own coin: the node does not list them by wallet, or there are more than it lists. */
  | 'coin_transfers_left_out'
  /** The rows do not add up to what the wallet has, or a block held more of it than its node tells: some transactions are listed nowhere. */
  | 'transfers_left_out';

/** A chain's finalised transactions of one wallet, told by a node. */
export type WalletSource = {
  readonly chain: string;
  /** Whether a node knows of anything that the wallet did or holds, where that can be told with less than by reading. */
  isUsed?(wallet: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Yields each transaction as a block that was cut down to it, newest first where the node can tell, and ends with what
   * is missing. Throws `SourceError`, or the signal's reason.
   */
  read(
    wallet: string,
    limits: WalletLimits,
    signal: AbortSignal,
  ): AsyncGenerator<DecodedBlock, WalletCoverage>;
};
