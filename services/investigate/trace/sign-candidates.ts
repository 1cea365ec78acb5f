import type { Address } from '../model/address.ts';
import { largestFirst } from '../model/amount.ts';
import type { Label } from '../model/label.ts';
import {
  ReadFailedError,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../model/transfer-reader.ts';
import type { FoundCandidate, FoundEvidence } from './candidate-set.ts';
import { readFirstSeen } from './evidence/read-first-seen.ts';
import type { QueryContext } from './query-context.ts';
import { readRows } from './read-rows.ts';
import { CANDIDATES_MAX } from './rules.ts';
import type { PreparedSearch } from './search.ts';
import type { Candidate, Holding } from './trace-answer.ts';
import { tierOf } from './window.ts';

/** Transactions shown for one piece of evidence. */
const PROOFS_MAX = 10;

type Shown = {
  readonly search: PreparedSearch;
  readonly labels: ReadonlyMap<Address, Label>;
  /** As far as it is known. */
  readonly firstSeen: ReadonlyMap<Address, number | null>;
  readonly findVia: () => Promise<(candidate: FoundCandidate) => Address | null>;
};

/**
 * Adds the transaction hashes of what is shown, and the addresses that it went through. One round of queries
 * at the end, however long the list.
 */
export const signCandidates = async (
  candidates: readonly FoundCandidate[],
  { search, labels, firstSeen, findVia }: Shown,
  context: QueryContext,
): Promise<Candidate[]> => {
  if (candidates.length === 0) return [];
  const shown = candidates.slice(0, CANDIDATES_MAX).map(({ wallet }) => wallet);
  const [showProof, hashOf, viaOf, seen] = await Promise.all([
    readProofs(candidates.slice(0, CANDIDATES_MAX), context),
    readHashes(candidates, context),
    findVia(),
    // Graders show all candidates and skip this.
    readFirstSeen(
      shown.filter((wallet) => !firstSeen.has(wallet)),
      context,
    ),
  ]);
  return candidates.flatMap((candidate): Candidate[] => {
    const { wallet, matches, mode, evidence, confidence, crowd } = candidate;
    const [nearest] = matches;
    if (nearest === undefined) return [];
    const { canonicalAsset, amountRaw, blockTime: timeUnixSeconds } = nearest;
    const deltaSeconds = timeUnixSeconds - search.anchor.timeUnixSeconds;
    return [
      {
        wallet,
        mode,
        canonicalAsset,
        amountRaw,
        timeUnixSeconds,
        deltaSeconds,
        confidence,
        crowd,
        signature: hashOf(nearest),
        tier: tierOf(deltaSeconds),
        via: viaOf(candidate),
        label: labels.get(wallet) ?? null,
        sameWallet: wallet === search.request.wallet,
        evidence: evidence.map((one) => ({
          ...one,
          proofs: [...new Set(proofsOf(one).map(hashOf))],
          transactions: distinct(proofsOf(one)).map((place) => ({
            signature: hashOf(place),
            timeUnixSeconds: place.blockTime,
            moved: showProof(place, [wallet, search.request.wallet]),
          })),
        })),
        transfers: matches.length,
        firstSeenUnixSeconds: firstSeen.get(wallet) ?? seen.get(wallet) ?? null,
      },
    ];
  });
};

const proofsOf = ({ proofs }: FoundEvidence): readonly TransactionPosition[] => proofs.slice(0, PROOFS_MAX);

const distinct = (positions: readonly TransactionPosition[]): readonly TransactionPosition[] => [
  ...new Map(positions.map((position) => [transactionKey(position), position])).values(),
];

/**
 * The transfers of a transaction from or to one of the wallets: those between them first, then the largest.
 */
type ShowProof = (place: TransactionPosition, wallets: readonly Address[]) => Holding | null;

/** For what is shown of them, one query for the rows. */
const readProofs = async (
  candidates: readonly FoundCandidate[],
  context: QueryContext,
): Promise<ShowProof> => {
  const places = candidates.flatMap(({ evidence }) => evidence.flatMap(proofsOf));
  const { rows } = await readRows(places, context.canonicalAssets, context);
  const byPlace = Map.groupBy(rows, transactionKey);
  return (place, wallets) => {
    const ofBoth = ({ from, to }: TransactionRow): number =>
      Number(wallets.includes(from)) + Number(wallets.includes(to));
    const [best] = (byPlace.get(transactionKey(place)) ?? [])
      .filter((row) => ofBoth(row) > 0)
      .sort((a, b) => ofBoth(b) - ofBoth(a) || largestFirst(a, b));
    return best === undefined ? null : { canonicalAsset: best.canonicalAsset, amountRaw: best.amountRaw };
  };
};

/** For what is shown of them. */
const readHashes = async (
  candidates: readonly FoundCandidate[],
  { reads, onChain }: QueryContext,
): Promise<(position: TransactionPosition) => string> => {
  const shown = candidates.flatMap(({ matches, evidence }) => [
    ...matches.slice(0, 1),
    ...evidence.flatMap(proofsOf),
  ]);
  const places = new Map(shown.map((position) => [transactionKey(position), position]));
  const hashes = await reads.transactionHashes(onChain, [...places.values()]);
  const byPlace = new Map([...places.keys()].map((key, index) => [key, hashes[index] ?? null]));
  return (position) => byPlace.get(transactionKey(position)) ?? refuseUnknown();
};

const refuseUnknown = (): never => {
  // Its tables are being rebuilt, or its block was just retracted. Asking again gives another answer.
  throw new ReadFailedError('unavailable');
};
