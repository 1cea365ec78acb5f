import type { Address } from '../../model/address.ts';
import type { Ask } from '../ask.ts';
import { findQuiet } from '../resolve-middle.ts';
import type { PreparedSearch } from '../search.ts';
import type { FoundCandidate } from '../suspects.ts';
import type { FitsFound } from './find-fits.ts';

type Entered = Pick<FitsFound, 'quiet'> & {
  readonly shown: readonly FoundCandidate[];
  readonly depositAddress: Address | null;
};

/** The deposit address that each shown candidate's money, or the anchor's, went through. Asks only of those that were not asked about. */
export const findVia = async (
  { request, middle }: PreparedSearch,
  { shown, depositAddress, quiet }: Entered,
  ask: Ask,
): Promise<(candidate: FoundCandidate) => Address | null> => {
  if (middle.kind === 'mixer') return () => null;
  if (request.direction === 'out') return () => depositAddress;
  const enteredBy = ({ fits: [fit] }: FoundCandidate): Address | null => fit?.through ?? fit?.wallet ?? null;
  const entered = new Set(shown.flatMap((candidate) => enteredBy(candidate) ?? []));
  const unknown = [...entered].filter((wallet) => !quiet.has(wallet));
  const others = unknown.length === 0 ? new Set() : await findQuiet(unknown, ask);
  const isDepositAddress = (wallet: Address): boolean => quiet.get(wallet) ?? others.has(wallet);
  return (candidate) => {
    const wallet = enteredBy(candidate);
    return candidate.fits[0]?.via ?? (wallet !== null && isDepositAddress(wallet) ? wallet : null);
  };
};
