import type { Address } from '../model/address.ts';
import { compareTransactions } from '../model/transfer-reader.ts';
import { gatherEvidence } from './evidence/gather-evidence.ts';
import { readCounterparties } from './evidence/read-counterparties.ts';
import { findDepositAddress } from './matches/find-deposit-address.ts';
import { findMatches } from './matches/find-matches.ts';
import { findParts, keepTied } from './matches/find-parts.ts';
import type { QueryContext } from './query-context.ts';
import type { Calibration } from './ranking/combine-evidence.ts';
import { createShuffleKeys, rankCandidates } from './ranking/rank-candidates.ts';
import { CANDIDATES_MAX } from './rules.ts';
import type { MatchingTransfer, PreparedSearch } from './search.ts';
import type { EvidenceFamily } from './trace-answer.ts';

/** Options that only evaluations and tests set. */
export type Weighing = {
  readonly calibration?: Calibration;
  /** Evidence that is left out. Evidence without a weight is left out, too. */
  readonly without?: ReadonlySet<EvidenceFamily>;
};

/** Finds possible owners, the most likely first, and reports the data used. Throws `ReadFailedError`. */
export const findCandidates = async (
  prepared: PreparedSearch,
  context: QueryContext,
  { calibration, without, isCrowdRead = false }: Weighing & { readonly isCrowdRead?: boolean },
) => {
  const { request, anchor } = prepared;
  const [span = null] = await context.reads.indexedSpan({}, [context.onChain.chain]);
  const indexedSinceUnixSeconds = span?.fromUnixSeconds ?? Number.POSITIVE_INFINITY;
  const crowdSinceUnixSeconds = isCrowdRead ? 0 : indexedSinceUnixSeconds;
  const search = { ...prepared, indexedSinceUnixSeconds, crowdSinceUnixSeconds };
  const [found, possibleParts, counterparties] = await Promise.all([
    findMatches(search, context),
    findParts(search, context),
    readCounterparties(search, context),
  ]);
  const byWallet = groupMatches(found.matches, anchor.timeUnixSeconds);
  const partRows = possibleParts.rows.filter(({ counterparty }) => !byWallet.has(counterparty));
  const parts = groupMatches(partRows, anchor.timeUnixSeconds);
  const ranking = {
    byWallet,
    anonymitySet: found.matches.length,
    partsTotal: possibleParts.rows.length,
    shuffleKeyOf: createShuffleKeys(anchor),
    calibration,
    without,
  };
  // Starts the final reads for the candidates that will be shown unless evidence puts others first.
  const likely = rankCandidates({ ...ranking, tiedParts: new Map(), evidence: new Map() });
  const gathering = { byWallet, parts, counterparties, routers: found.routers };
  const [gathered, depositAddress] = await Promise.all([
    gatherEvidence(search, { ...gathering, likely: likely.slice(0, CANDIDATES_MAX) }, context),
    request.direction === 'out' ? findDepositAddress(search, found.matches, context) : null,
  ]);
  const { evidence, firstSeen, complete: checkedAll, hasAllCounterparties } = gathered;
  const isPriced = found.isPriced && gathered.isPriced;
  const tied = await keepTied(search, { parts, evidence }, context);
  return {
    found,
    candidates: rankCandidates({ ...ranking, tiedParts: tied.byWallet, evidence }),
    labels: new Map([...found.labels, ...tied.labels]),
    complete: found.complete && possibleParts.complete,
    firstSeen,
    checkedAll,
    depositAddress,
    hasAllCounterparties,
    isPriced,
  };
};

const compareMatches = (a: MatchingTransfer, b: MatchingTransfer): number =>
  compareTransactions(a, b) || (a.counterparty < b.counterparty ? -1 : 1);

/** The matches of each wallet, the nearest in time to the anchor first; the wallets likewise. */
const groupMatches = (
  matches: readonly MatchingTransfer[],
  anchorUnixSeconds: number,
): ReadonlyMap<Address, readonly MatchingTransfer[]> => {
  const distance = ({ blockTime }: MatchingTransfer): number => Math.abs(blockTime - anchorUnixSeconds);
  return Map.groupBy(
    // Readers promise no order. Sorting by chain order makes answers repeatable.
    matches.toSorted((a, b) => distance(a) - distance(b) || compareMatches(a, b)),
    ({ counterparty }) => counterparty,
  );
};
