import type { Address } from '../../model/address.ts';
import { isStablecoin } from '../../model/asset.ts';
import { isReadSince } from '../../model/history-coverage.ts';
import type { ContiguousRange } from '../../model/transfer-reader.ts';
import type { QueryContext } from '../query-context.ts';
import type { FrozenBalance } from './control-profile.ts';
import { toDone } from './find-authority.ts';

const FREEZES_MAX = 1_000;

/**
 * Freezes found for the wallet, and the time from which the chain's freeze events are kept; null when they
 * are not kept.
 */
export type Freezes = { readonly frozen: readonly FrozenBalance[]; readonly span: ContiguousRange | null };

/**
 * The wallet's stablecoins that issuers hold frozen now. Only listed stablecoins count, because anybody can
 * create a token that freezes any address. One round of queries.
 */
export const readFreezes = async (
  wallet: Address,
  { chain, control, onChain }: QueryContext,
): Promise<Freezes> => {
  const [[read], [span = null]] = await Promise.all([
    control.eventsOfHolder(
      { ...onChain, kinds: ['frozen', 'thawed'], order: 'newest_first', limit: FREEZES_MAX },
      [{ address: wallet }],
    ),
    control.controlSpan({}, [onChain.chain]),
  ]);
  const newest = [...Map.groupBy(read?.events ?? [], ({ subject }) => subject).values()].map(
    ([first]) => first,
  );
  const frozen = newest.flatMap((event): FrozenBalance[] => {
    if (event?.kind !== 'frozen') return [];
    const asset = event.asset ?? event.subject;
    const account = event.asset === null ? null : event.subject;
    return isStablecoin(chain, asset) ? [{ ...toDone(event), asset, account, by: event.party }] : [];
  });
  return { frozen, span };
};

/**
 * null: unknown. A freeze stands only if no later block is missing, which may have released it. Finding none
 * is evidence only if events are kept since the wallet was first seen. `firstSeen` is in unix seconds, or
 * null when its first transaction is not known.
 */
export const knowFrozen = (
  freezes: Freezes | null,
  firstSeen: number | null,
): readonly FrozenBalance[] | null => {
  if (freezes === null || freezes.span === null) return null;
  const { frozen, span } = freezes;
  const standing = frozen.filter(({ block }) => isReadSince(span, { blockNumber: block }));
  if (standing.length > 0) return standing;
  const isCovered = span.beginsChain || (firstSeen !== null && span.fromUnixSeconds <= firstSeen);
  return isCovered && frozen.length === 0 ? [] : null;
};
