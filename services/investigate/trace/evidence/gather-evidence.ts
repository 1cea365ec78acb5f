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
  /** Of the likely candidates, in unix seconds. */
  readonly firstSeen: ReadonlyMap<Address, number | null>;
  /** Every candidate was looked at for all of it. */
  readonly complete: boolean;
  /** So was everybody whom the traced wallet dealt with. */
  readonly knowsAll: boolean;
  /** All prices by which payments had to be judged are known. */
  readonly isPriced: boolean;
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
    return { evidence: new Map(), firstSeen: new Map(), complete: true, knowsAll: true, isPriced: true };
  const fitting = toSuspects(search, fits);
  const suspects = { ...fitting, byWallet };
  const [ties, profiles, amounts, swaps, firstSeen] = await Promise.all([
    findTies(search, { suspects, acquaintances }, ask),
    search.middle.kind === 'mixer' ? compareProfiles(fitting, acquaintances, ask) : NOTHING,
    matchAmountsAndName(search, { byWallet: fits.byWallet, likely }, ask),
    findLoneSwap(search, [...fits.byWallet.values()].flat(), ask),
    readFirstSeen(
      likely.map((candidate) => candidate.wallet),
      ask,
    ),
  ]);
  return {
    evidence: collect([
      ...findSameWallet(search, suspects),
      ...[ties, profiles, amounts].flatMap(({ found }) => found),
      ...swaps,
    ]),
    firstSeen,
    complete: ties.complete && profiles.complete && amounts.complete,
    knowsAll: acquaintances.complete && ties.knowsAll,
    isPriced: ties.isPriced,
  };
};

const NOTHING: EvidenceFound = { found: [], complete: true };

const toSuspects = (
  { request, middle, anchor, pool, indexedSinceUnixSeconds }: Search,
  { byWallet, routers }: Pick<Known, 'byWallet' | 'routers'>,
): Suspects => ({
  chain: request.chain,
  wallet: request.wallet,
  direction: request.direction,
  anchor: anchor.position ?? { blockTime: anchor.timeUnixSeconds, blockNumber: 0, txIndex: 0 },
  ...{ middle, byWallet, indexedSinceUnixSeconds },
  routers: pool === request.counterparty ? routers : new Set([request.counterparty, ...routers]),
});

/** Ties that hold, by the rows of their payments and by who the go-betweens are. */
const findTies = async (
  search: Search,
  { suspects, acquaintances }: { readonly suspects: Suspects; readonly acquaintances: Acquaintances },
  ask: Ask,
): Promise<EvidenceFound & Pick<Gathered, 'knowsAll' | 'isPriced'>> => {
  const through = await findTiesThroughOthers(suspects, acquaintances, ask);
  const ties = [...findDirectTies(suspects, acquaintances), ...through.ties];
  const [paid, isPersonal, isFunded, judged] = await Promise.all([
    keepPaid(ties, { search, suspects }, ask),
    findPersonal(ties, { traced: suspects.wallet, services: acquaintances.services }, ask),
    findFunded(ties, ask),
    judgeBusiness(ties, ask),
  ]);
  const held = paid.ties
    .filter((tie) => isPersonal(tie) && isFunded(tie))
    .flatMap((tie) => judged(tie) ?? []);
  const { complete, isPriced } = paid;
  return { found: held.map(toTie), complete, isPriced, knowsAll: through.complete };
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
