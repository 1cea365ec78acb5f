import type { Address } from '../../model/address.ts';
import type { Ask } from '../ask.ts';
import type { Search } from '../search.ts';
import {
  type Acquaintances,
  collect,
  type EvidenceByWallet,
  type EvidenceFound,
  type FoundCandidate,
  type Suspects,
} from '../suspects.ts';
import { compareProfiles } from './compare-profiles.ts';
import { findFunded } from './find-funded.ts';
import { findLoneSwap } from './find-lone-swap.ts';
import { findPassing } from './find-passing.ts';
import { findSameWallet } from './find-same-wallet.ts';
import { findDirectTies, findTiesThroughOthers } from './find-ties.ts';
import { keepPaid, type PaidTie, toTie } from './keep-paid.ts';
import { matchAmounts } from './match-amounts.ts';
import { readFirstSeen } from './read-first-seen.ts';

type Gathered = {
  readonly evidence: EvidenceByWallet;
  /** Of the likely candidates, in unix seconds. */
  readonly firstSeen: ReadonlyMap<Address, number | null>;
  /** Every candidate was looked at for all of it. */
  readonly complete: boolean;
  /** So was everybody whom the traced wallet dealt with. */
  readonly knowsAll: boolean;
};

type Known = Pick<Suspects, 'byWallet' | 'routers'> & {
  /** By wallet, transfers whose amounts say nothing. */
  readonly parts: Suspects['byWallet'];
  readonly acquaintances: Acquaintances;
  /** Who will be shown, unless evidence puts others first. */
  readonly likely: readonly FoundCandidate[];
};

/**
 * All that ties the traced wallet to a candidate. Starts from the traced wallet's own acquaintances, so that the work
 * does not grow with the crowd.
 */
export const gatherEvidence = async (
  search: Search,
  { acquaintances, parts, likely, ...fits }: Known,
  ask: Ask,
): Promise<Gathered> => {
  const byWallet = parts.size === 0 ? fits.byWallet : new Map([...parts, ...fits.byWallet]);
  if (byWallet.size === 0)
    return { evidence: new Map(), firstSeen: new Map(), complete: true, knowsAll: true };
  const { request, middle, anchor, pool, indexedSinceUnixSeconds } = search;
  const { wallet, counterparty } = request;
  const suspects: Suspects = {
    wallet,
    direction: request.direction === 'out' ? 'forward' : 'backward',
    anchor: anchor.position ?? { blockTime: anchor.timeUnixSeconds, blockNumber: 0, txIndex: 0 },
    middle,
    byWallet,
    indexedSinceUnixSeconds,
    routers: pool === counterparty ? fits.routers : new Set([counterparty, ...fits.routers]),
  };
  const [ties, amounts, swaps, firstSeen] = await Promise.all([
    compareAcquaintances(search, { suspects, acquaintances, fitting: fits.byWallet }, ask),
    matchAmountsAndName(search, { byWallet: fits.byWallet, likely }, ask),
    findLoneSwap(search, [...fits.byWallet.values()].flat(), ask),
    readFirstSeen(
      likely.map((candidate) => candidate.wallet),
      ask,
    ),
  ]);
  return {
    evidence: collect([...findSameWallet(search, suspects), ...ties.found, ...amounts.found, ...swaps]),
    firstSeen,
    complete: ties.complete && amounts.complete,
    knowsAll: acquaintances.complete && ties.knowsAll,
  };
};

type Compared = {
  readonly suspects: Suspects;
  readonly acquaintances: Acquaintances;
  readonly fitting: Suspects['byWallet'];
};

const compareAcquaintances = async (
  search: Search,
  { suspects, acquaintances, fitting }: Compared,
  ask: Ask,
): Promise<EvidenceFound & Pick<Gathered, 'knowsAll'>> => {
  const [kept, profiles] = await Promise.all([
    findTiesThroughOthers(suspects, acquaintances, ask).then(async ({ ties, complete }) => {
      const direct = await findDirectTies(suspects, acquaintances, ask);
      const all = [...direct, ...ties];
      const { wallet: traced } = suspects;
      const [paid, passing, isFunded] = await Promise.all([
        keepPaid(all, search.request, ask),
        findPassing(all, { ...acquaintances, traced }, ask),
        findFunded(ties, ask),
      ]);
      const isPersonal = ({ between = traced }: PaidTie) => !passing.has(traced) && !passing.has(between);
      const kept = paid.ties.filter((tie) => isPersonal(tie) && isFunded(tie));
      return { ...paid, ties: kept.map(toTie), knowsAll: complete };
    }),
    search.middle.kind === 'mixer'
      ? compareProfiles({ ...suspects, byWallet: fitting }, acquaintances, ask)
      : { found: [], complete: true },
  ]);
  return {
    found: [...kept.ties, ...profiles.found],
    complete: kept.complete && profiles.complete,
    knowsAll: kept.knowsAll,
  };
};

/** Names the transactions of the likely candidates beside it: the reader remembers them. */
const matchAmountsAndName = async (
  search: Search,
  { byWallet, likely }: Pick<Known, 'byWallet' | 'likely'>,
  ask: Ask,
) => {
  const amounts = await matchAmounts(search, [...byWallet.values()].flat(), ask);
  const positions = likely.flatMap(({ fits }) => fits.slice(0, 1));
  await ask.reader.transactionHashes({ ...ask.limits, positions });
  return amounts;
};
