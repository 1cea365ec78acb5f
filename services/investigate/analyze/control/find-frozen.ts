import type { Address } from '../../model/address.ts';
import { isStablecoin } from '../../model/asset.ts';
import type { ContiguousRange } from '../../model/transfer-reader.ts';
import type { QueryContext } from '../query-context.ts';
import type { FrozenBalance } from './control-profile.ts';
import { toDone } from './find-authority.ts';

const FREEZES_MAX = 1_000;

/** What was found of the wallet's freezes, and since when such events are kept of the chain; null where they are not. */
export type Freezes = { readonly frozen: readonly FrozenBalance[]; readonly span: ContiguousRange | null };

/**
 * Which of the wallet's stablecoins their issuers hold frozen now. Anybody can make a token that freezes whom it likes: only listed
 * stablecoins count. One round.
 */
export const readFreezes = async (
  wallet: Address,
  { chain, control, limits }: QueryContext,
): Promise<Freezes> => {
  const [{ events }, span] = await Promise.all([
    control.eventsOfHolder({
      ...limits(),
      address: wallet,
      kinds: ['frozen', 'thawed'],
      order: 'newest_first',
      limit: FREEZES_MAX,
    }),
    control.controlSpan(limits()),
  ]);
  const newest = [...Map.groupBy(events, ({ subject }) => subject).values()].map(([first]) => first);
  const frozen = newest.flatMap((event): FrozenBalance[] => {
    if (event?.kind !== 'frozen') return [];
    const asset = event.asset ?? event.subject;
    const account = event.asset === null ? null : event.subject;
    return isStablecoin(chain, asset) ? [{ ...toDone(event), asset, account, by: event.party }] : [];
  });
  return { frozen, span };
};

/**
 * null: nothing is known. That no freeze was found tells something only where events are kept since the wallet was first seen.
 * `firstSeen`: unix seconds; null where no row names it.
 */
export const knowFrozen = (
  freezes: Freezes | null,
  firstSeen: number | null,
): readonly FrozenBalance[] | null => {
  if (freezes === null || freezes.span === null) return null;
  const { frozen, span } = freezes;
  const isCovered = span.beginsChain || (firstSeen !== null && span.fromUnixSeconds <= firstSeen);
  return frozen.length > 0 || isCovered ? frozen : null;
};
