import type { WalletAssetRequest } from './transfer-reader.ts';

/** A wallet's current balances, read from its chain's nodes. */
export type HoldingReader = {
  /** Raw units, the coin with what is wrapped of it; null where no node of the chain is known or says it in time. Never throws. */
  readonly holding: (request: WalletAssetRequest) => Promise<bigint | null>;
};

export const NO_HOLDINGS: HoldingReader = { holding: async () => null };
