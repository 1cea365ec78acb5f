import type { Asset } from '../model/asset.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { HistorySide } from '../model/history.ts';
import { knownSince, reachesIndex } from '../model/known-since.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';

/** A token's own history: every transaction that names the mint, or every log of the contract. */
export const TOKEN_SIDE: HistorySide = 'emitted';

/** Whether it was read from that block on, up to where blocks are indexed. */
export const isTokenReadSince = (
  { name }: Chain,
  token: Asset,
  { windows }: Backfills,
  { first, span }: { readonly first: number; readonly span: ContiguousRange | null },
): boolean => {
  const known = knownSince(windows?.(name, token) ?? [], { first, asset: null, side: TOKEN_SIDE });
  return known !== null && reachesIndex(known, span);
};
