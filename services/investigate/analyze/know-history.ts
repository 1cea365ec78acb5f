import type { Address } from '../model/address.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';

/** `unread`: its chain's nodes were not asked for it yet. `part`: all there is to be had is not all. */
export type History = 'whole' | 'unread' | 'part';

/**
 * How much of a wallet's history the tables hold: all where blocks are indexed from the chain's first one on, or where the
 * history was read by itself and blocks are indexed from then on.
 */
export const knowHistory = (
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
