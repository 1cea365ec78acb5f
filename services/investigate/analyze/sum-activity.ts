import { describeSeenIn } from '../model/history-coverage.ts';
import type { WalletSummary } from '../model/profile-reader.ts';
import type { Activity, Transfer } from './profile.ts';
import type { Subject } from './read-subject.ts';
import { sumUsd } from './sum-sides.ts';

/** Transfers that belong to a swap have no counterparty. */
export const sumActivity = (
  { summary, isAllRead, history, span }: Subject & { readonly summary: WalletSummary },
  transfers: readonly Transfer[],
): Activity => {
  const dollars = (direction: 'in' | 'out'): number | null =>
    isAllRead ? sumUsd(transfers.filter((each) => each.direction === direction && !each.isSwap)) : null;
  const count = (direction: 'in' | 'out'): number =>
    summary.canonicalAssets.reduce((sum, canonicalAsset) => sum + canonicalAsset[direction].transfers, 0);
  return {
    seenIn: history === 'whole' ? null : describeSeenIn(span),
    firstSeen: summary.firstUnixSeconds,
    lastSeen: summary.lastUnixSeconds,
    transactions: summary.transactions,
    transfersIn: count('in'),
    transfersOut: count('out'),
    counterparties: summary.counterparties,
    usdIn: dollars('in'),
    usdOut: dollars('out'),
  };
};
