import type { Address } from '../model/address.ts';
import type { Label } from '../model/label.ts';
import { ReadFailedError, type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';
import type { Ask } from './ask.ts';
import { readFirstSeen } from './evidence/read-first-seen.ts';
import { CANDIDATES_MAX } from './rules.ts';
import type { Search } from './search.ts';
import type { FoundCandidate } from './suspects.ts';
import type { Candidate } from './trace-answer.ts';
import { tierOf } from './window.ts';

/** Transactions shown of one piece of evidence. */
const PROOFS_MAX = 10;

type Shown = {
  readonly search: Search;
  readonly labels: ReadonlyMap<Address, Label>;
  /** As far as it is known. */
  readonly firstSeen: ReadonlyMap<Address, number | null>;
  readonly findVia: () => Promise<(candidate: FoundCandidate) => Address | null>;
};

/** Names the transactions of what is shown and the addresses it went through: one round at the end, however long the list. */
export const signCandidates = async (
  candidates: readonly FoundCandidate[],
  { search, labels, firstSeen, findVia }: Shown,
  ask: Ask,
): Promise<Candidate[]> => {
  const { reader, limits } = ask;
  if (candidates.length === 0) return [];
  const positions = candidates.flatMap(({ fits, evidence }) => [
    ...fits.slice(0, 1),
    ...evidence.flatMap(({ proofs }) => proofs.slice(0, PROOFS_MAX)),
  ]);
  const places = new Map(positions.map((position) => [transactionKey(position), position]));
  const shown = candidates.slice(0, CANDIDATES_MAX).map(({ wallet }) => wallet);
  const [hashes, via, seen] = await Promise.all([
    reader.transactionHashes({ ...limits, positions: [...places.values()] }),
    findVia(),
    // Graders have all candidates shown, and ask this of none.
    readFirstSeen(
      shown.filter((wallet) => !firstSeen.has(wallet)),
      ask,
    ),
  ]);
  const byPlace = new Map([...places.keys()].map((key, at) => [key, hashes[at] ?? null]));
  const hashOf = (position: TransactionPosition): string =>
    byPlace.get(transactionKey(position)) ?? refuseUnknown();
  return candidates.flatMap((candidate): Candidate[] => {
    const { wallet, fits, mode, evidence, confidence, crowd } = candidate;
    const [nearest] = fits;
    if (nearest === undefined) return [];
    const deltaSeconds = nearest.blockTime - search.anchor.timeUnixSeconds;
    return [
      {
        wallet,
        signature: hashOf(nearest),
        mode,
        family: nearest.family,
        amountRaw: nearest.amountRaw,
        timeUnixSeconds: nearest.blockTime,
        deltaSeconds,
        tier: tierOf(deltaSeconds),
        confidence,
        crowd,
        via: via(candidate),
        label: labels.get(wallet) ?? null,
        sameWallet: wallet === search.request.wallet,
        evidence: evidence.map(({ family, grade, detail, proofs }) => ({
          family,
          grade,
          detail,
          proofs: [...new Set(proofs.slice(0, PROOFS_MAX).map(hashOf))],
        })),
        transfers: fits.length,
        firstSeenUnixSeconds: firstSeen.get(wallet) ?? seen.get(wallet) ?? null,
      },
    ];
  });
};

const refuseUnknown = (): never => {
  // Its tables are being rebuilt or its block was just retracted: asked again, the answer is another.
  throw new ReadFailedError('unavailable');
};
