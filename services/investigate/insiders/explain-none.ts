import type { Candidates } from './gather-candidates.ts';
import type { Insider, InsidersRequest } from './insiders-report.ts';
import type { ReadLaunch } from './read-launch.ts';
import { GIFTS_MAX } from './rules.ts';

/** Explains why nobody but the creator is an insider; null when somebody is. */
export const explainNone = (
  insiders: readonly Insider[],
  candidates: Candidates,
  { venue }: ReadLaunch,
  { windowSeconds }: InsidersRequest,
): string | null => {
  const { creator, wallets, earlyBuyers } = candidates;
  if (insiders.some(({ address }) => address !== creator)) return null;
  const airdrop = describeAirdrop(candidates);
  if (venue === null)
    return airdrop === null
      ? 'Nobody has bought the token yet, and the creator gave it to nobody.'
      : `Nobody has bought the token yet. ${airdrop}`;
  const looked = `${earlyBuyers} wallets bought within ${windowSeconds} seconds of the launch, and ${wallets.length} were looked at.`;
  const none = 'The data ties none of them to the creator or to each other.';
  return [looked, none, airdrop].filter((sentence) => sentence !== null).join(' ');
};

/** null when there was no airdrop. */
export const describeAirdrop = ({ airdropped }: Candidates): string | null =>
  airdropped === 0
    ? null
    : `One sender gave the token to more than ${GIFTS_MAX} wallets, ${airdropped} in all: such an airdrop alone ties nobody to the creator.`;
