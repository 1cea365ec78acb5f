import type { Address } from './address.ts';
import type { ReadLimits, TransactionPosition } from './transfer-reader.ts';

/**
 * Finds who sent wallets their first coin. Every method is one round of indexed queries and throws like the
 * transfer reader. The facts are derived from settled blocks, so the newest minutes may be missing.
 */
export type FunderReader = {
  /** The first funder of each wallet. Wallets without a known funder are missing. */
  readonly firstFunders: (
    request: ReadLimits & { readonly chain: string; readonly wallets: readonly Address[] },
  ) => Promise<ReadonlyMap<Address, FirstFunding>>;
  /**
   * Number of the first indexed block for which facts (first funders, first blocks of tokens, look-alikes)
   * have not been derived yet; null when all are derived. The newest few blocks are never settled.
   */
  readonly underivedFrom: (request: ReadLimits & { readonly chain: string }) => Promise<number | null>;
  /** How many wallets each of these funded first, `atMost` where there are more; 0 is missing. */
  readonly fundedCounts: (
    request: ReadLimits & {
      readonly chain: string;
      readonly funders: readonly Address[];
      readonly atMost: number;
    },
  ) => Promise<ReadonlyMap<Address, number>>;
};

export type FirstFunding = TransactionPosition & { readonly funder: Address; readonly amountRaw: bigint };
