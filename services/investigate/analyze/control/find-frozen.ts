import type { Address } from '../../model/address.ts';
import { isStablecoin } from '../../model/asset.ts';
import type { Ask } from '../ask.ts';
import type { FrozenBalance } from './control-profile.ts';
import { toDone } from './find-authority.ts';

const FREEZES_MAX = 1_000;

/**
 * Which of the wallet's stablecoins their issuers hold frozen now. Anybody can make a token that freezes whom it likes: only listed
 * stablecoins count. null: such events are not kept of this chain, so nothing is known. One question.
 */
export const findFrozen = async (
  wallet: Address,
  { chain, control, limits }: Ask,
): Promise<readonly FrozenBalance[] | null> => {
  const [{ events }, span] = await Promise.all([
    control.eventsOfHolder({
      ...{ ...limits(), address: wallet, kinds: ['frozen', 'thawed'] },
      ...{ order: 'newest_first', limit: FREEZES_MAX },
    }),
    control.controlSpan(limits()),
  ]);
  if (span === null) return null;
  const newest = [...Map.groupBy(events, ({ subject }) => subject).values()].map(([first]) => first);
  return newest.flatMap((event): FrozenBalance[] => {
    if (event?.kind !== 'frozen') return [];
    const asset = event.asset ?? event.subject;
    const account = event.asset === null ? null : event.subject;
    return isStablecoin(chain, asset) ? [{ ...toDone(event), asset, account, by: event.party }] : [];
  });
};
