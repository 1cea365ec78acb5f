import type { Address } from './address.ts';
import type { Query } from './query.ts';
import type { OnChain, TransactionPosition } from './transfer-reader.ts';

/**
 * Finds who sent wallets their first coin. Every method is one round of indexed queries and throws like the
 * transfer reader. The facts are derived from settled blocks, so the newest minutes may be missing.
 */
export type FunderReader = {
  /** The first funder of each wallet; null where none is known. */
  readonly firstFunders: Query<OnChain, Address, FirstFunding | null>;
  /**
   * Number of each chain's first indexed block for which facts (first funders, first blocks of tokens, look-alikes)
   * have not been derived yet; null when all are derived. The newest few blocks are never settled.
   */
  readonly underivedFrom: Query<object, string, number | null>;
  /** How many wallets each of these funded first, `atMost` where there are more. */
  readonly fundedCounts: Query<OnChain & { readonly atMost: number }, Address, number>;
};

export type FirstFunding = TransactionPosition & { readonly funder: Address; readonly amountRaw: bigint };
