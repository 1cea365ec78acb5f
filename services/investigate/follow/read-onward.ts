import { sumOf } from '../model/amount.ts';
import type { ListedWindow, Window } from '../model/history.ts';
import { knownWithin, reachesIndex } from '../model/known-since.ts';
import { NATIVE } from '../model/movement.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';
import { uniteWindows } from '../model/unite-windows.ts';
import type { FollowContext, FollowedWallet } from './follow-context.ts';
import type { Outflow } from './payments/inflow.ts';
import type { Rest } from './rest.ts';

/** How readings of busy wallets end. Others failed, and what they lack cannot be read. */
const CUT: readonly string[] = ['older_left_out', 'time_ran_out'];

/**
 * What was read of a busy wallet from the money's place on, whose history is longer than what is read at once: known
 * where all that arrived has left, else what is to be read next. Backward the same from what left to what had come.
 * null where more cannot be read, or nothing was cut.
 */
export const readOnward = (
  { request: { chain, backward }, asset: { canonicalAsset }, backfills }: FollowContext,
  { wallet, stake: { lots, source } }: FollowedWallet,
  outflows: readonly Outflow[],
  span: ContiguousRange | null,
): { readonly known: 'whole' | 'part' | 'unread'; readonly rest: Rest | null } | null => {
  const ended = backfills.lastReading?.(chain.name, wallet)?.coverage ?? '';
  if (source !== 'chain' || lots.length === 0 || !CUT.includes(ended)) return null;
  const blocks = lots.map(({ blockNumber }) => blockNumber);
  const place = backward ? Math.max(...blocks) : Math.min(...blocks);
  const asset = canonicalAsset === NATIVE ? null : canonicalAsset;
  const after = (block: number): Rest =>
    backward
      ? { asset, first: null, last: block, order: 'newest' }
      : { asset, first: block, last: null, order: 'oldest' };
  const windows = (backfills.windows?.(chain.name, wallet) ?? []).filter(
    (window) => window.asset === null || window.asset === asset,
  );
  const run = uniteWindows(windows).find(({ first, last }) => first <= place && place <= last);
  if (run === undefined) return { known: 'unread', rest: after(place) };
  const within = outflows.filter(({ blockNumber: block }) =>
    backward ? block >= run.first : block <= run.last,
  );
  if (sumOf(within) >= sumOf(lots)) {
    const read = backward ? { ...run, last: place } : { ...run, first: place };
    const question = { asset: canonicalAsset, side: backward ? 'in' : 'out' } as const;
    return { known: knownWithin(windows, read, question) ? 'whole' : 'part', rest: null };
  }
  if (isReadToEnd(windows, run, { backward, span })) return null;
  return { known: 'unread', rest: after(backward ? run.first - 1 : run.last + 1) };
};

type Toward = { readonly backward: boolean; readonly span: ContiguousRange | null };

const isReadToEnd = (
  windows: readonly ListedWindow[],
  { first, last }: Window,
  { backward, span }: Toward,
): boolean => {
  if (backward) return first === 0;
  const newest = windows.find((window) => window.last === last && window.lastUnixSeconds !== null);
  return reachesIndex({ last, newestAtUnixSeconds: newest?.lastUnixSeconds ?? null }, span);
};
