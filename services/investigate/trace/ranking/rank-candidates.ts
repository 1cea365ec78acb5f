import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Address } from '../../model/address.ts';
import type { EvidenceByWallet, FoundCandidate, FoundEvidence } from '../candidate-set.ts';
import type { MatchingTransfer, Search } from '../search.ts';
import type { EvidenceFamily } from '../trace-answer.ts';
import {
  CALIBRATION,
  type Calibration,
  combineEvidence,
  likeliestMode,
  sharedExcess,
  weightKey,
} from './combine-evidence.ts';

type Ranking = {
  readonly shuffleKeyOf: (wallet: Address) => string;
  readonly byWallet: ReadonlyMap<Address, readonly MatchingTransfer[]>;
  /** The parts with evidence, and the total number of parts. */
  readonly tiedParts: ReadonlyMap<Address, readonly MatchingTransfer[]>;
  readonly anonymitySet: number;
  readonly partsTotal: number;
  readonly evidence: EvidenceByWallet;
  readonly calibration?: Calibration | undefined;
  readonly without?: ReadonlySet<EvidenceFamily> | undefined;
};

/**
 * Sorts by confidence, and equal ones at random. Any informative order, such as the nearest in time first,
 * would put the owner on top more often than the stated confidence says. The random order is seeded by the
 * anchor, so that an answer is repeatable and no wallet is always first.
 */
export const rankCandidates = ({
  shuffleKeyOf,
  byWallet,
  tiedParts,
  evidence,
  calibration = CALIBRATION,
  without,
  anonymitySet,
  partsTotal,
}: Ranking): FoundCandidate[] => {
  const counts = (one: FoundEvidence): boolean =>
    !without?.has(one.family) && (calibration.weights[weightKey(one)] ?? 0) > 0;
  const countedOf = (wallet: Address) => (evidence.get(wallet) ?? []).filter(counts);
  const excessOf = (wallet: Address) => sharedExcess(countedOf(wallet), calibration.weights);
  const excess = [...byWallet.keys(), ...tiedParts.keys()].reduce((sum, wallet) => sum + excessOf(wallet), 0);
  const judge =
    (crowd: number) =>
    ([wallet, matches]: readonly [Address, readonly MatchingTransfer[]]): FoundCandidate => {
      const counted = countedOf(wallet);
      const mode = likeliestMode(matches, crowd, calibration);
      const rivals = Math.max(0, excess - excessOf(wallet));
      const confidence = combineEvidence(counted, { anonymitySet: crowd, mode, rivals }, calibration);
      return { wallet, matches, mode, evidence: counted, confidence, crowd };
    };
  const whole = [...byWallet].map(judge(anonymitySet));
  // The anonymity set of a part is everything that could have been a part.
  const parts = [...tiedParts].map(judge(anonymitySet + partsTotal));
  return [...whole, ...parts.filter((part) => part.evidence.length > 0)]
    .map((candidate) => ({ candidate, shuffleKey: shuffleKeyOf(candidate.wallet) }))
    .sort((a, b) => b.candidate.confidence - a.candidate.confidence || (a.shuffleKey < b.shuffleKey ? -1 : 1))
    .map(({ candidate }) => candidate);
};

/** Computed once for each wallet. */
export const createShuffleKeys = ({ signature }: Search['anchor']): ((wallet: Address) => string) => {
  const drawn = new Map<Address, string>();
  return (wallet) => {
    const shuffleKey = drawn.get(wallet) ?? bytesToHex(sha256(`${signature} ${wallet}`));
    drawn.set(wallet, shuffleKey);
    return shuffleKey;
  };
};
