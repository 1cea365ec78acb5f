import type { Address } from '../model/address.ts';
import { compareTransactions } from '../model/transfer-reader.ts';
import type { Ask } from './ask.ts';
import { gatherEvidence } from './evidence/gather-evidence.ts';
import { readAcquaintances } from './evidence/read-acquaintances.ts';
import { findDepositAddress } from './fits/find-deposit-address.ts';
import { findFits } from './fits/find-fits.ts';
import { findParts, keepTied } from './fits/find-parts.ts';
import type { Calibration } from './ranking/combine-evidence.ts';
import { createLots, rankCandidates } from './ranking/rank-candidates.ts';
import { CANDIDATES_MAX } from './rules.ts';
import type { Fit, PreparedSearch } from './search.ts';
import type { EvidenceFamily } from './trace-answer.ts';

/** What graders and tests change, and nobody else. */
export type Weighing = {
  readonly calibration?: Calibration;
  /** Evidence that is left out; so is what has no weight. */
  readonly without?: ReadonlySet<EvidenceFamily>;
};

/** Who may be the owner, the likeliest first, and what was learnt on the way. Throws `ReadFailedError`. */
export const findCandidates = async (
  prepared: PreparedSearch,
  ask: Ask,
  { calibration, without }: Weighing,
) => {
  const { request, anchor } = prepared;
  const span = await ask.reader.indexedSpan(ask.limits);
  const search = { ...prepared, indexedSinceUnixSeconds: span?.fromUnixSeconds ?? Number.POSITIVE_INFINITY };
  const [found, possibleParts, acquaintances] = await Promise.all([
    findFits(search, ask),
    findParts(search, ask),
    readAcquaintances(search, ask),
  ]);
  const byWallet = groupFits(found.fits, anchor.timeUnixSeconds);
  const partRows = possibleParts.rows.filter(({ counterparty }) => !byWallet.has(counterparty));
  const parts = groupFits(partRows, anchor.timeUnixSeconds);
  const ranking = {
    ...{ byWallet, anonymitySet: found.fits.length, partsTotal: possibleParts.rows.length },
    ...{ lotOf: createLots(anchor), calibration, without },
  };
  // Of those who will be shown unless evidence puts others first, what is told at the end is asked meanwhile.
  const likely = rankCandidates({ ...ranking, tiedParts: new Map(), evidence: new Map() });
  const gathering = { byWallet, parts, acquaintances, routers: found.routers };
  const [gathered, depositAddress] = await Promise.all([
    gatherEvidence(search, { ...gathering, likely: likely.slice(0, CANDIDATES_MAX) }, ask),
    request.direction === 'out' ? findDepositAddress(search, found.fits, ask) : null,
  ]);
  const { evidence, firstSeen, complete: lookedAtAll, knowsAll } = gathered;
  const isPriced = found.isPriced && gathered.isPriced;
  const tied = await keepTied(search, { parts, evidence }, ask);
  return {
    found,
    candidates: rankCandidates({ ...ranking, tiedParts: tied.byWallet, evidence }),
    labels: new Map([...found.labels, ...tied.labels]),
    complete: found.complete && possibleParts.complete,
    ...{ firstSeen, lookedAtAll, depositAddress, knowsAll, isPriced },
  };
};

const compareFits = (a: Fit, b: Fit): number =>
  compareTransactions(a, b) || (a.counterparty < b.counterparty ? -1 : 1);

/** The fits of each wallet, the nearest in time to the anchor first; the wallets likewise. */
const groupFits = (fits: readonly Fit[], anchorUnixSeconds: number): ReadonlyMap<Address, readonly Fit[]> => {
  const distance = ({ blockTime }: Fit): number => Math.abs(blockTime - anchorUnixSeconds);
  return Map.groupBy(
    // Readers promise no order: the chain's own makes answers repeatable.
    fits.toSorted((a, b) => distance(a) - distance(b) || compareFits(a, b)),
    ({ counterparty }) => counterparty,
  );
};
