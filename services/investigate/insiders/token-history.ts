import type { Asset } from '../model/asset.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { HistorySide } from '../model/history.ts';
import { uniteWindows } from '../model/unite-windows.ts';

/** A token's own history: every transaction that names the mint, or every log of the contract. */
export const TOKEN_SIDE: HistorySide = 'emitted';

/** Whether it was read from that block on, as far as anybody has read. */
export const isTokenReadSince = (
  { name }: Chain,
  token: Asset,
  { windows }: Backfills,
  blockNumber: number,
): boolean =>
  uniteWindows(
    (windows?.(name, token) ?? []).filter(
      ({ kinds, proof }) => kinds.includes('emitted') && proof !== 'partial',
    ),
  ).some(({ first, last }) => first <= blockNumber && blockNumber <= last);
