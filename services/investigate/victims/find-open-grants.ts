import type { CanonicalAsset } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { compareControl, type PlacedControlEvent } from '../model/control-reader.ts';
import { assetOfGrant, type Grants } from './read-grants.ts';
import { UNLIMITED_RAW } from './rules.ts';

/** A grant that no later event to the same spender withdrew. */
export type StandingGrant = {
  readonly event: PlacedControlEvent;
  readonly canonicalAsset: CanonicalAsset | null;
  /** null: everything, or no amount. */
  readonly remainingRaw: bigint | null;
};

/** What the spender took of a holding after a time. */
export type SpentSince = (grant: PlacedControlEvent, canonicalAsset: CanonicalAsset) => bigint;

/**
 * Replays the events of each holding: the latest one counts. An approval of 0 withdraws earlier ones. An
 * allowance without an infinite amount shrinks by what was taken (EIP-20), and a Permit2 allowance expires.
 */
export const findOpenGrants = (
  chain: Chain,
  { events }: Grants,
  { spent, nowUnixSeconds }: { readonly spent: SpentSince; readonly nowUnixSeconds: number },
): StandingGrant[] => {
  const latest = Map.groupBy(events, ({ holder, subject, detail, kind, emitter }) => {
    const scope = detail?.startsWith('until:') ? '' : (detail ?? '');
    return [holder, subject, scope, emitter ?? '', isApproval(kind)].join(' ');
  });
  return [...latest.values()].flatMap((own): StandingGrant[] => {
    const event = own.toSorted(compareControl).at(-1);
    if (event === undefined) return [];
    const canonicalAsset = assetOfGrant(chain, event);
    // Closing the account took its balance, so nothing is left to take.
    if (event.detail === 'close' && canonicalAsset !== null && spent(event, canonicalAsset) > 0n) return [];
    if (!isApproval(event.kind)) return [{ event, canonicalAsset, remainingRaw: null }];
    if (event.amountRaw === 0n || isOver(event, nowUnixSeconds)) return [];
    if (canonicalAsset === null || event.amountRaw >= UNLIMITED_RAW)
      return [{ event, canonicalAsset, remainingRaw: null }];
    const remainingRaw = event.amountRaw - spent(event, canonicalAsset);
    return remainingRaw > 0n ? [{ event, canonicalAsset, remainingRaw }] : [];
  });
};

export const isApproval = (kind: PlacedControlEvent['kind']): boolean =>
  kind === 'approval' || kind === 'permit';

const isOver = ({ detail }: PlacedControlEvent, nowUnixSeconds: number): boolean => {
  const until = detail?.startsWith('until:') ? Number(detail.slice('until:'.length)) : null;
  return until !== null && until < nowUnixSeconds;
};
