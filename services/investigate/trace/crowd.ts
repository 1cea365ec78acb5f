import type { Address } from '../model/address.ts';
import type { Backfills, LastReading } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { HistoryKind, HistorySide, ListedWindow } from '../model/history.ts';
import { NATIVE } from '../model/movement.ts';
import { uniteWindows } from '../model/unite-windows.ts';
import type { PreparedSearch } from './search.ts';
import type { Crowd } from './trace-answer.ts';

/**
 * Where the other side of the service is searched: histories of these addresses, from the anchor on or up to it. Equal
 * notes leave through the same pool; other money may use any address of the service.
 */
export const crowdOf = (
  { request, anchor, found, pool, intermediary, range }: PreparedSearch,
  serviceWallets: readonly Address[],
): Crowd | null => {
  if (anchor.position === null) return null;
  const { chain, direction, counterparty } = request;
  const all = [...new Set([pool, counterparty, ...serviceWallets])];
  const [moved] = anchor.moved;
  return {
    addresses: found.mode === 'fixed' ? [pool] : all,
    anchorBlock: anchor.position.blockNumber,
    asset: anchor.moved.length === 1 && moved ? moved.canonicalAsset : null,
    side: sideOf(chain, intermediary.kind === 'mixer', direction),
    isForward: direction === 'out',
    toUnixSeconds: range.toUnixSeconds,
  };
};

/** A contract pays by calls, which few nodes list; the logs of a pool tell each of its payments. */
const sideOf = (chain: Chain, isMixer: boolean, direction: 'in' | 'out'): HistorySide =>
  chain.family === 'evm' && isMixer ? 'emitted' : direction;

export type CrowdKnown = 'whole' | 'part' | 'unread';

/** How much of the crowd was read from the chain, where blocks are not indexed. */
export const crowdKnown = (chain: Chain, crowd: Crowd, backfills: Backfills): CrowdKnown => {
  const known = crowd.addresses.map((address) => addressKnown(chain, address, crowd, backfills));
  if (known.every((each) => each === 'whole')) return 'whole';
  return known.every((each) => each === 'unread') ? 'unread' : 'part';
};

export const addressKnown = (
  { name }: Chain,
  address: Address,
  crowd: Crowd,
  backfills: Backfills,
): CrowdKnown => {
  if (backfills.lastBackfill(name, address)?.missing === 'nothing') return 'whole';
  const all = backfills.windows?.(name, address) ?? [];
  const newest = newestOf(all, backfills.lastReading?.(name, address) ?? null);
  const usable = all.filter(
    ({ proof, asset }) => proof !== 'partial' && (asset === null || asset === crowd.asset),
  );
  const reaches = kindsOf(crowd).map((kind) => {
    const ofKind = usable.filter(({ kinds }) => kinds.includes(kind));
    return reachOf(ofKind, crowd, newest);
  });
  if (reaches.some((reach) => reach === 'unread')) return 'unread';
  return reaches.every((reach) => reach === 'whole') ? 'whole' : 'part';
};

const CUT: readonly string[] = ['older_left_out', 'time_ran_out', 'node_failed', 'too_large_left_out'];

/** The last block that was read, if it was the newest one then, and when that was. */
const newestOf = (windows: readonly ListedWindow[], lastReading: LastReading | null): Newest | null => {
  const end = windows.reduce((last, window) => Math.max(last, window.last), -1);
  const atEnd = windows.filter(({ last }) => last === end);
  const isToldByBlock = atEnd.some(({ lastUnixSeconds }) => lastUnixSeconds !== null);
  const isToldByReading = lastReading !== null && !CUT.includes(lastReading.coverage);
  if (!isToldByBlock && !isToldByReading) return null;
  return { block: end, atUnixSeconds: Math.max(...atEnd.map(({ readAtUnixSeconds }) => readAtUnixSeconds)) };
};

type Newest = { readonly block: number; readonly atUnixSeconds: number };

const kindsOf = ({ side, asset }: Crowd): readonly HistoryKind[] => {
  if (side === 'emitted') return ['emitted'];
  const tokens: readonly HistoryKind[] = side === 'out' ? ['tokens_out'] : ['tokens_in'];
  const coin: readonly HistoryKind[] = side === 'out' ? ['sent', 'internal'] : ['received', 'internal'];
  if (asset === NATIVE) return coin;
  return asset === null ? [...coin, ...tokens] : tokens;
};

/** Forward up to the newest block, backward from the first one: which block belongs to the end of the window is not known. */
const reachOf = (
  windows: readonly ListedWindow[],
  { anchorBlock, isForward, toUnixSeconds }: Crowd,
  newest: Newest | null,
): CrowdKnown => {
  const run = uniteWindows(windows).find(({ first, last }) => first <= anchorBlock && anchorBlock <= last);
  if (run === undefined) return 'unread';
  if (!isForward) return run.first === 0 ? 'whole' : 'part';
  return newest !== null && run.last >= newest.block && newest.atUnixSeconds >= toUnixSeconds
    ? 'whole'
    : 'part';
};
