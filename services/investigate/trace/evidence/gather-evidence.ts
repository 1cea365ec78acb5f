import type { Address } from '../../model/address.ts';
import {
  type CandidateSet,
  type Counterparties,
  collect,
  type EvidenceByWallet,
  type EvidenceFound,
  type FoundCandidate,
} from '../candidate-set.ts';
import type { QueryContext } from '../query-context.ts';
import type { Search } from '../search.ts';
import { compareProfiles } from './compare-profiles.ts';
import { findDirectTies } from './find-direct-ties.ts';
import { findFunded } from './find-funded.ts';
import { findLoneSwap } from './find-lone-swap.ts';
import { findPersonal } from './find-personal.ts';
import { findSameWallet } from './find-same-wallet.ts';
import { findTiesThroughOthers } from './find-ties-through-others.ts';
import { judgeBusiness } from './judge-business.ts';
import { keepPaid, toTie } from './keep-paid.ts';
import { matchAmounts } from './match-amounts.ts';
import { readFirstSeen } from './read-first-seen.ts';

type Gathered = {
  readonly evidence: EvidenceByWallet;
  /** First-seen times of the likely candidates, in unix seconds. */
  readonly firstSeen: ReadonlyMap<Address, number | null>;
  /** Whether every candidate was checked for all evidence. */
  readonly complete: boolean;
  /** Whether all counterparties of the traced wallet were examined. */
  readonly hasAllCounterparties: boolean;
  /** Whether all prices needed to judge payments were known. */
  readonly isPriced: boolean;
};

type EvidenceInput = Pick<CandidateSet, 'byWallet' | 'routers'> & {
  /** By wallet, the transfers whose amounts are no evidence. */
  readonly parts: CandidateSet['byWallet'];
  readonly counterparties: Counterparties;
  /** The candidates to be shown, unless evidence puts others first. */
  readonly likely: readonly FoundCandidate[];
};

/**
 * Gathers all evidence that ties the traced wallet to a candidate. Starts from the traced wallet's own
 * counterparties, so that the work does not grow with the number of candidates.
 */
export const gatherEvidence = async (
  search: Search,
  { counterparties, parts, likely, ...matches }: EvidenceInput,
  context: QueryContext,
): Promise<Gathered> => {
  const byWallet = parts.size === 0 ? matches.byWallet : new Map([...parts, ...matches.byWallet]);
  if (byWallet.size === 0)
    return {
      evidence: new Map(),
      firstSeen: new Map(),
      complete: true,
      hasAllCounterparties: true,
      isPriced: true,
    };
  const fitting = toCandidateSet(search, matches);
  const candidateSet = { ...fitting, byWallet };
  const [ties, profiles, amounts, swaps, firstSeen] = await Promise.all([
    findTies(search, { candidateSet, counterparties }, context),
    search.intermediary.kind === 'mixer' ? compareProfiles(fitting, counterparties, context) : NOTHING,
    matchAmountsAndName(search, { byWallet: matches.byWallet, likely }, context),
    findLoneSwap(search, [...matches.byWallet.values()].flat(), context),
    readFirstSeen(
      likely.map((candidate) => candidate.wallet),
      context,
    ),
  ]);
  return {
    evidence: collect([
      ...findSameWallet(search, candidateSet),
      ...[ties, profiles, amounts].flatMap(({ found }) => found),
      ...swaps,
    ]),
    firstSeen,
    complete: ties.complete && profiles.complete && amounts.complete,
    hasAllCounterparties: counterparties.complete && ties.hasAllCounterparties,
    isPriced: ties.isPriced,
  };
};

const NOTHING: EvidenceFound = { found: [], complete: true };

const toCandidateSet = (
  { request, intermediary, anchor, pool, indexedSinceUnixSeconds }: Search,
  { byWallet, routers }: Pick<EvidenceInput, 'byWallet' | 'routers'>,
): CandidateSet => ({
  chain: request.chain,
  wallet: request.wallet,
  direction: request.direction,
  anchor: anchor.position ?? { blockTime: anchor.timeUnixSeconds, blockNumber: 0, txIndex: 0 },
  intermediary,
  byWallet,
  indexedSinceUnixSeconds,
  routers: pool === request.counterparty ? routers : new Set([request.counterparty, ...routers]),
});

/** The ties that hold after checking their payments' rows and the go-betweens. */
const findTies = async (
  search: Search,
  {
    candidateSet,
    counterparties,
  }: { readonly candidateSet: CandidateSet; readonly counterparties: Counterparties },
  context: QueryContext,
): Promise<EvidenceFound & Pick<Gathered, 'hasAllCounterparties' | 'isPriced'>> => {
  const through = await findTiesThroughOthers(candidateSet, counterparties, context);
  const ties = [...findDirectTies(candidateSet, counterparties), ...through.ties];
  const [paid, isPersonal, isFunded, judged] = await Promise.all([
    keepPaid(ties, { search, candidateSet }, context),
    findPersonal(ties, { traced: candidateSet.wallet, services: counterparties.services }, context),
    findFunded(ties, context),
    judgeBusiness(ties, context),
  ]);
  const held = paid.ties
    .filter((tie) => isPersonal(tie) && isFunded(tie))
    .flatMap((tie) => judged(tie) ?? []);
  const { complete, isPriced } = paid;
  return { found: held.map(toTie), complete, isPriced, hasAllCounterparties: through.complete };
};

/** Reads the transaction hashes of the likely candidates at the same time; the reader caches them. */
const matchAmountsAndName = async (
  search: Search,
  { byWallet, likely }: Pick<EvidenceInput, 'byWallet' | 'likely'>,
  context: QueryContext,
) => {
  const amounts = await matchAmounts(search, [...byWallet.values()].flat(), context);
  const positions = likely.flatMap(({ matches }) => matches.slice(0, 1));
  await context.reads.transactionHashes(context.onChain, positions);
  return amounts;
};
