import type { Address } from '../model/address.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';

/**
 * `unread`: the chain's nodes have not been asked for this wallet's history yet. `part`: the available
 * history is incomplete.
 */
export type History = 'whole' | 'unread' | 'part';

/**
 * How much of a wallet's history the tables hold. It is complete when blocks are indexed from the chain's
 * first block on, or when the history was backfilled and blocks are indexed from then on.
 */
export const historyCoverage = (
  chain: Chain,
  wallet: Address,
  span: ContiguousRange | null,
  backfills: Backfills,
): History => {
  if (span?.beginsChain) return 'whole';
  const read = backfills.lastBackfill(chain.name, wallet);
  const isContinued = span === null || span.fromUnixSeconds <= (read?.readAtUnixSeconds ?? 0);
  if (read === null || !isContinued) return backfills.canBackfill(chain.name) ? 'unread' : 'part';
  return read.missing === 'nothing' ? 'whole' : 'part';
};
