import type { Address } from '../model/address.ts';
import type { Chain } from '../model/chain.ts';
import type { Direction, Neighbour } from '../model/trace-reader.ts';
import type { TransactionPosition } from '../model/transfer-reader.ts';
import type { Mode } from './fits/fee-model.ts';
import type { Middle } from './resolve-middle.ts';
import type { Fit } from './search.ts';
import type { Evidence } from './trace-answer.ts';

/** Evidence whose transactions have no hash yet. */
export type FoundEvidence = Evidence<TransactionPosition>;

/** A candidate whose transactions have no hash yet. */
export type FoundCandidate = {
  readonly wallet: Address;
  readonly fits: readonly Fit[];
  readonly mode: Mode;
  readonly evidence: readonly FoundEvidence[];
  readonly confidence: number;
  readonly crowd: number;
};

/** Candidates and what is asked about them. */
export type Suspects = {
  readonly chain: Chain;
  readonly wallet: Address;
  /** `out`: the traced wallet paid in, and they took out. */
  readonly direction: Direction;
  /** Where the traced transfer stands; where that is not known, ahead of everything of its second. */
  readonly anchor: TransactionPosition;
  readonly middle: Middle;
  /** Fits of each candidate, the nearest in time first. */
  readonly byWallet: ReadonlyMap<Address, readonly Fit[]>;
  /** Wallets of the service that are known to hand on to its others. */
  readonly routers: ReadonlySet<Address>;
  readonly indexedSinceUnixSeconds: number;
};

/** `complete` is false where there were too many candidates to look at each. */
export type EvidenceFound = {
  readonly found: readonly (readonly [Address, FoundEvidence])[];
  readonly complete: boolean;
};

/** Evidence of each candidate that any was found of. */
export type EvidenceByWallet = ReadonlyMap<Address, readonly FoundEvidence[]>;

/** The traced wallet's own acquaintances and who of them is a service. */
export type Acquaintances = {
  readonly of: readonly Neighbour[];
  /** There are no more than these. */
  readonly complete: boolean;
  /** Of all of them: those that belong to the service in the middle. */
  readonly ownPools: ReadonlySet<Address>;
  readonly services: ReadonlyMap<Address, { readonly entity: string; readonly kind: string }>;
};

export const collect = (
  pairs: Iterable<readonly [Address, FoundEvidence]>,
): Map<Address, readonly FoundEvidence[]> => {
  const byWallet = new Map<Address, FoundEvidence[]>();
  for (const [wallet, evidence] of pairs) {
    const known = byWallet.get(wallet);
    if (known === undefined) byWallet.set(wallet, [evidence]);
    else known.push(evidence);
  }
  return byWallet;
};
