import type { Address } from '../../model/address.ts';
import type { FoundCandidate } from '../candidate-set.ts';
import type { QueryContext } from '../query-context.ts';
import { findQuiet } from '../resolve-intermediary.ts';
import type { PreparedSearch } from '../search.ts';
import type { MatchesFound } from './find-matches.ts';

type Entered = Pick<MatchesFound, 'quiet'> & {
  readonly shown: readonly FoundCandidate[];
  readonly depositAddress: Address | null;
};

/**
 * The deposit address that each shown candidate's money, or the anchor's, went through. Queries only those
 * that have not been read yet.
 */
export const findVia = async (
  { request, intermediary }: PreparedSearch,
  { shown, depositAddress, quiet }: Entered,
  context: QueryContext,
): Promise<(candidate: FoundCandidate) => Address | null> => {
  if (intermediary.kind === 'mixer') return () => null;
  if (request.direction === 'out') return () => depositAddress;
  const enteredBy = ({ matches: [match] }: FoundCandidate): Address | null =>
    match?.through ?? match?.wallet ?? null;
  const entered = new Set(shown.flatMap((candidate) => enteredBy(candidate) ?? []));
  const unknown = [...entered].filter((wallet) => !quiet.has(wallet));
  const others = unknown.length === 0 ? new Set() : await findQuiet(unknown, context);
  const isDepositAddress = (wallet: Address): boolean => quiet.get(wallet) ?? others.has(wallet);
  return (candidate) => {
    const wallet = enteredBy(candidate);
    return candidate.matches[0]?.via ?? (wallet !== null && isDepositAddress(wallet) ? wallet : null);
  };
};
