import type { Address } from '../model/address.ts';
import { type CanonicalAsset, toCanonicalAsset } from '../model/asset.ts';
import type { Holding } from '../model/case-reader.ts';
import type { Chain } from '../model/chain.ts';
import type { ControlKind } from '../model/control-event.ts';
import type { PlacedControlEvent } from '../model/control-reader.ts';
import { GRANTS_MAX, PUBLIC_GRANTS_MIN, PUBLIC_VICTIM_SHARE } from './rules.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { VictimsRequest } from './victims-report.ts';

/** Grants to one address, earliest first. */
export type Grants = {
  readonly hand: Address;
  readonly events: readonly PlacedControlEvent[];
  readonly isCut: boolean;
};

const KINDS: readonly ControlKind[] = [
  ...(['approval', 'permit', 'authority_changed', 'owner_assigned', 'code_delegated'] as const),
];

/**
 * One query over all times: whether a grant is open now depends on withdrawals after the period asked for.
 */
export const readGrants = async (
  { chain }: VictimsRequest,
  hand: Address,
  { controls }: Pick<VictimsReads, 'controls'>,
): Promise<Grants> => {
  const [read] = await controls.eventsByParty(
    { chain: chain.name, kinds: KINDS, order: 'oldest_first', limit: GRANTS_MAX },
    [{ address: hand }],
  );
  const events = read?.events.filter(({ holder }) => holder !== null && holder !== hand) ?? [];
  return { hand, events, isCut: read?.isCut ?? false };
};

/** Many holders approve it, and few of them lost anything here, so it is a public contract. */
export const isCrowded = ({ events }: Grants, payers: ReadonlySet<Address>): boolean => {
  const holders = new Set(events.map(({ holder }) => holder));
  const robbed = [...holders].filter((holder) => holder !== null && payers.has(holder)).length;
  return holders.size >= PUBLIC_GRANTS_MIN && robbed / holders.size < PUBLIC_VICTIM_SHARE;
};

/** The asset of a grant; null when it has none, or concerns single NFTs. */
export const assetOfGrant = (
  chain: Chain,
  { kind, subject, asset, detail }: PlacedControlEvent,
): CanonicalAsset | null => {
  if (detail === 'all' || detail?.startsWith('id:')) return null;
  if (asset !== null) return toCanonicalAsset(chain, asset);
  return kind === 'approval' || kind === 'permit' ? toCanonicalAsset(chain, subject) : null;
};

/** The holdings that the grant may have been used on. */
export const holdingsOf = (chain: Chain, events: Grants['events']): Holding[] => {
  const holdings = events.flatMap((event) => {
    const canonicalAsset = assetOfGrant(chain, event);
    return canonicalAsset === null || event.holder === null || event.amountRaw === 0n
      ? []
      : [{ wallet: event.holder, canonicalAsset }];
  });
  return [...new Map(holdings.map((each) => [`${each.wallet} ${each.canonicalAsset}`, each])).values()];
};
