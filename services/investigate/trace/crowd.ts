import type { Address } from '../model/address.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { HistoryKind, HistorySide, ListedWindow } from '../model/history.ts';
import { NATIVE } from '../model/movement.ts';
import type { ServiceWallets } from '../model/trace-reader.ts';
import { uniteWindows } from '../model/unite-windows.ts';
import type { PreparedSearch } from './search.ts';
import type { Crowd } from './trace-answer.ts';

/**
 * Where the other side of the service is searched: histories of these addresses, from the anchor on or up to it. Equal
 * notes leave through the same pool; other money may use any address of the service.
 */
export const crowdOf = (
  { request, anchor, found, pool, intermediary, range }: PreparedSearch,
  serviceWallets: ServiceWallets,
): Crowd | null => {
  if (anchor.position === null) return null;
  const { chain, direction, counterparty } = request;
  const { addresses, total } = serviceWallets;
  const [moved] = anchor.moved;
  const isPool = found.mode === 'fixed';
  return {
    addresses: isPool ? [pool] : [...new Set([pool, counterparty, ...addresses])],
    isCut: !isPool && total > addresses.length,
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

export type CrowdRead = {
  readonly known: CrowdKnown;
  /** Whether each address was read from the anchor on. If not, those who are known may be few of the crowd. */
  readonly isOfAll: boolean;
};

export const UNREAD: CrowdRead = { known: 'unread', isOfAll: false };

/** How much of the crowd was read from the chain, where blocks are not indexed. */
export const crowdRead = (chain: Chain, crowd: Crowd, backfills: Backfills): CrowdRead => {
  const known = crowd.addresses.map((address) => addressKnown(chain, address, crowd, backfills));
  if (known.every((each) => each === 'unread')) return UNREAD;
  const isWhole = !crowd.isCut && known.every((each) => each === 'whole');
  return {
    known: isWhole ? 'whole' : 'part',
    isOfAll: !crowd.isCut && known.every((each) => each !== 'unread'),
  };
};

/** A reading ends at the newest final block, which is that much older, with the reading itself. */
const READING_LAGS_SECONDS = 3_600;

/**
 * What is to be known of one of the crowd. The anchor is a payment to or from it: a contract that logged nothing in that
 * block does not log its payments.
 */
export const wantedOf = (
  { name }: Chain,
  address: Address,
  crowd: Crowd,
  { windows }: Pick<Backfills, 'windows'>,
): Crowd => {
  if (crowd.side !== 'emitted') return crowd;
  const around = (windows?.(name, address) ?? []).filter(
    ({ kinds, proof, first, last }) =>
      kinds.includes('emitted') &&
      proof !== 'partial' &&
      first <= crowd.anchorBlock &&
      crowd.anchorBlock <= last,
  );
  const isSilent = around.length > 0 && around.every(({ transactions }) => transactions === 0);
  return isSilent ? { ...crowd, side: crowd.isForward ? 'out' : 'in' } : crowd;
};

export const addressKnown = (
  chain: Chain,
  address: Address,
  asked: Crowd,
  backfills: Backfills,
): CrowdKnown => {
  const { name } = chain;
  const crowd = wantedOf(chain, address, asked, backfills);
  const whole = backfills.lastBackfill(name, address);
  if (whole?.missing === 'nothing' && whole.readAtUnixSeconds - READING_LAGS_SECONDS >= crowd.toUnixSeconds)
    return 'whole';
  const usable = (backfills.windows?.(name, address) ?? []).filter(
    ({ proof, asset }) => proof !== 'partial' && (asset === null || asset === crowd.asset),
  );
  const reaches = kindsOf(crowd).map((kind) => {
    const ofKind = usable.filter(({ kinds }) => kinds.includes(kind));
    return reachOf(ofKind, crowd);
  });
  if (reaches.some((reach) => reach === 'unread')) return 'unread';
  return reaches.every((reach) => reach === 'whole') ? 'whole' : 'part';
};

const kindsOf = ({ side, asset }: Crowd): readonly HistoryKind[] => {
  if (side === 'emitted') return ['emitted'];
  const tokens: readonly HistoryKind[] = side === 'out' ? ['tokens_out'] : ['tokens_in'];
  const coin: readonly HistoryKind[] = side === 'out' ? ['sent', 'internal'] : ['received', 'internal'];
  // The wrapped coin is the coin's worth.
  return asset === null || asset === NATIVE ? [...coin, ...tokens] : tokens;
};

/** Forward up to the time of a block, backward from the first one: which block is so old is not known. */
const reachOf = (
  windows: readonly ListedWindow[],
  { anchorBlock, isForward, toUnixSeconds }: Crowd,
): CrowdKnown => {
  const run = uniteWindows(windows).find(({ first, last }) => first <= anchorBlock && anchorBlock <= last);
  if (run === undefined) return 'unread';
  if (!isForward) return run.first === 0 ? 'whole' : 'part';
  const isToTheEnd = windows.some(
    ({ last, lastUnixSeconds }) =>
      last <= run.last && last >= anchorBlock && lastUnixSeconds !== null && lastUnixSeconds >= toUnixSeconds,
  );
  return isToTheEnd ? 'whole' : 'part';
};
