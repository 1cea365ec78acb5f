import type { DecodedBlock } from '../../investigate/model/block.ts';

export type WalletLimits = {
  /** Only this many of the newest transactions are read. */
  readonly transactionsMax: number;
};

/** The missing parts of a wallet's history after the backfill. */
export type WalletCoverage =
  | 'complete'
  /** There are more transactions than were requested. */
  | 'older_left_out'
  /** Transfers of the chain's own coin: the node does not list them by wallet, or has more than it lists. */
  | 'coin_transfers_left_out'
  /**
   * The rows do not add up to the wallet's balance, or a block had more of it than its node lists: some
   * transactions are listed nowhere.
   */
  | 'transfers_left_out';

/** A chain's finalised transactions of one wallet, as a node lists them. */
export type WalletSource = {
  readonly chain: string;
  /**
   * Whether a node knows any transaction or holding of the wallet, if that is cheaper than reading the
   * history.
   */
  isUsed?(wallet: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Yields each transaction as a block reduced to it, newest first if the node can, and returns what is
   * missing. Throws `SourceError`, or the signal's reason.
   */
  read(
    wallet: string,
    limits: WalletLimits,
    signal: AbortSignal,
  ): AsyncGenerator<DecodedBlock, WalletCoverage>;
};
