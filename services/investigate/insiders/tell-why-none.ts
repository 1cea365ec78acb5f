import type { Candidates } from './gather-candidates.ts';
import type { Insider, InsidersRequest } from './insiders-report.ts';
import type { ReadLaunch } from './read-launch.ts';

/** Why nobody but the creator is named; null where somebody is. */
export const tellWhyNone = (
  insiders: readonly Insider[],
  { creator, wallets, earlyBuyers }: Candidates,
  { venue }: ReadLaunch,
  { windowSeconds }: InsidersRequest,
): string | null => {
  if (insiders.some(({ address }) => address !== creator)) return null;
  if (venue === null) return 'Nobody has bought the token yet, and the creator gave it to nobody.';
  const looked = `${earlyBuyers} wallets bought within ${windowSeconds} seconds of the launch, and ${wallets.length} were looked at.`;
  return `${looked} None of them is tied to the creator or to another one by what the data shows.`;
};
