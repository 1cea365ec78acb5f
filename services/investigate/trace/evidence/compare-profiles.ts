import type { Address } from '../../model/address.ts';
import { opposite } from '../../model/trace-reader.ts';
import type { CandidateSet, Counterparties, EvidenceFound, FoundEvidence } from '../candidate-set.ts';
import type { QueryContext } from '../query-context.ts';
import { findWalletsOf } from '../read-services.ts';
import { PROFILES_MAX } from '../rules.ts';
import { type Other, readOtherProfiles, readOwnProfile, type Shared } from './read-profiles.ts';

/** A profile with this many pools, or this many notes in all, is hardly a coincidence. */
const TELLING_POOLS = 3;
const TELLING_NOTES = 6;

/**
 * Compares how many notes the traced wallet and each candidate passed through each pool of the mixer. Equal
 * counts over several pools, and the same choice of pools, are the "multi-denomination" reveals of Wu et al.
 * (Tutela, heuristic 4) and of LambdaClass' tornado_cash_anonymity_tool. Only a wallet that used at least two
 * pools can be compared. Only a limited number of candidates is compared, the nearest in time.
 */
export const compareProfiles = async (
  candidateSet: CandidateSet,
  counterparties: Counterparties,
  context: QueryContext,
): Promise<EvidenceFound> => {
  const own = await readOwnProfile(candidateSet, counterparties, context);
  if (own.profile.size < 2) return { found: [], complete: own.complete };
  const wallets = [...candidateSet.byWallet.keys()].slice(0, PROFILES_MAX);
  const { others, complete } = await readOtherProfiles(wallets, { candidateSet, own }, context);
  const besides = others.flatMap((other) => other.besides);
  const [isPool, partlyRead] = await Promise.all([
    findWalletsOf(candidateSet.intermediary, besides, context),
    findPartlyRead(candidateSet, others, context),
  ]);
  const mayHaveUsedMore = (other: Other): boolean =>
    other.isCut || partlyRead.has(other.wallet) || other.besides.some(isPool);
  return {
    found: others.map((other) => [other.wallet, toEvidence(other.shared, mayHaveUsedMore(other))] as const),
    complete: candidateSet.byWallet.size <= PROFILES_MAX && own.complete && complete,
  };
};

/**
 * Wallets whose transfers were not all read, so their use in between is unknown. Queries only when somebody
 * used the same pools.
 */
const findPartlyRead = async (
  candidateSet: CandidateSet,
  others: readonly Other[],
  { reads, onChain, canonicalAssets }: QueryContext,
): Promise<ReadonlySet<Address>> => {
  const direction = opposite(candidateSet.direction);
  const alike = others.filter(({ shared, isCut }) => shared.isSame && !isCut);
  const sides = alike.map(({ wallet }) => ({ wallet, direction }));
  const partly = await reads.partlyRead({ ...onChain, canonicalAssets }, sides);
  return new Set(sides.flatMap(({ wallet }, at) => (partly[at] ? [wallet] : [])));
};

/**
 * Counts must be equal over all pools of the mixer: a wallet that also used other pools is a different user.
 */
const toEvidence = ({ pools, notes, isSame, isEqual, proofs }: Shared, usedMore: boolean): FoundEvidence => {
  const samePools = isSame && !usedMore;
  if (samePools && isEqual) {
    const isTelling = pools >= TELLING_POOLS || notes >= TELLING_NOTES;
    const detail = `In the indexed blocks both passed the same number of notes through each of ${pools} pools, ${notes} in all.`;
    return { family: 'equal_counts', grade: isTelling ? 'strong' : 'plain', detail, proofs };
  }
  const detail = `Both used ${pools} pools of the mixer in the indexed blocks.`;
  const grade = samePools && pools >= TELLING_POOLS ? 'strong' : 'plain';
  return { family: 'multi_pool', grade, detail, proofs };
};
