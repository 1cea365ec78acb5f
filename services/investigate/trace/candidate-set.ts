import type { Address } from '../model/address.ts';
import type { Chain } from '../model/chain.ts';
import type { Direction, Neighbour } from '../model/trace-reader.ts';
import type { TransactionPosition } from '../model/transfer-reader.ts';
import type { Mode } from './matches/fee-model.ts';
import type { Intermediary } from './resolve-intermediary.ts';
import type { MatchingTransfer } from './search.ts';
import type { Evidence } from './trace-answer.ts';

/** Evidence whose transactions have no hash yet. */
export type FoundEvidence = Evidence<TransactionPosition>;

/** A candidate whose transactions have no hash yet. */
export type FoundCandidate = {
  readonly wallet: Address;
  readonly matches: readonly MatchingTransfer[];
  readonly mode: Mode;
  readonly evidence: readonly FoundEvidence[];
  readonly confidence: number;
  readonly crowd: number;
};

/** The candidates and the data for judging them. */
export type CandidateSet = {
  readonly chain: Chain;
  readonly wallet: Address;
  /** `out`: the traced wallet paid in and the candidates took out. */
  readonly direction: Direction;
  /** Position of the traced transfer; when unknown, before everything else of its second. */
  readonly anchor: TransactionPosition;
  readonly intermediary: Intermediary;
  /** Matches of each candidate, the nearest in time first. */
  readonly byWallet: ReadonlyMap<Address, readonly MatchingTransfer[]>;
  /** The service's wallets that are known to pass money on to its other wallets. */
  readonly routers: ReadonlySet<Address>;
  readonly indexedSinceUnixSeconds: number;
};

/** `complete` is false when there were too many candidates to examine each. */
export type EvidenceFound = {
  readonly found: readonly (readonly [Address, FoundEvidence])[];
  readonly complete: boolean;
};

/** Evidence by candidate, for those that have any. */
export type EvidenceByWallet = ReadonlyMap<Address, readonly FoundEvidence[]>;

/** The counterparties of the traced wallet, and which of them are services. */
export type Counterparties = {
  readonly of: readonly Neighbour[];
  /** Whether the list is complete. */
  readonly complete: boolean;
  /** Of all of them, those that belong to the intermediary. */
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
