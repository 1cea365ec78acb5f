/** What was last read of a wallet's history from its chain's nodes. */
export type HistoryRead = {
  readonly readAtUnixSeconds: number;
  /** `coin`: tokens are told whole, the chain's own coin is not. */
  readonly missing: 'nothing' | 'coin' | 'more';
};

/**
 * Histories of wallets that are read beside the blocks, when somebody asks about them, as they were known at one moment:
 * rows that are asked for afterwards hold all of them.
 */
export type Histories = {
  /** Whether the chain's nodes can be asked. */
  readonly canRead: (chain: string) => boolean;
  /** null: not read, or so long ago that it is worth another try. */
  readonly lastRead: (chain: string, wallet: string) => HistoryRead | null;
};

export const NO_HISTORIES: Histories = { canRead: () => false, lastRead: () => null };
