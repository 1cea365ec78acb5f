import type { Address } from '../../model/address.ts';
import type { Label } from '../../model/label.ts';
import type { ExposedParty, ExposureSide, PathStep } from './exposure.ts';
import { STEPS_TOLD_MAX } from './rules.ts';

/** Money of the subject that one movement brought from a party or took to it. */
export type Claim = {
  readonly party: Address;
  /** `flowKey` of the movement. */
  readonly key: string;
  readonly usd: number;
  readonly path: readonly PathStep[];
};

type Claims = ReadonlyMap<Address, readonly Claim[]>;

type Party = {
  readonly label: Label;
  directUsd: number;
  indirectUsd: number;
  minHops: number;
  readonly direct: PathStep[];
  best: Claim | null;
};

export type Ledger = {
  readonly totalUsd: number;
  /** Books the demands on labelled parties and returns those on unlabelled ones, by wallet. */
  readonly take: (claims: readonly Claim[], labels: ReadonlyMap<Address, Label>, hop: number) => Claims;
  /** The wallet's history was read and does not explain this amount. */
  readonly look: (unexplainedUsd: number) => void;
  /** The path ends at this wallet. */
  readonly stop: (claims: readonly Claim[]) => void;
  /** Wallets that are not examined. */
  readonly leaveOut: (claims: Claims) => void;
  readonly finish: () => ExposureSide;
};

/** Books every dollar once: to a labelled party, or as unattributed. */
export const createLedger = (totalUsd: number): Ledger => {
  const parties = new Map<Address, Party>();
  const read = { wallets: 0, stopped: 0, leftOutUsd: 0 };
  let unattributedUsd = 0;
  return {
    totalUsd,
    take: (claims, labels, hop) => {
      const isLabelled = ({ party }: Claim): boolean => labels.has(party);
      for (const claim of claims.filter(isLabelled)) book(parties, claim, labels.get(claim.party), hop);
      return Map.groupBy(
        claims.filter((claim) => !isLabelled(claim)),
        ({ party }) => party,
      );
    },
    look: (unexplainedUsd) => {
      read.wallets += 1;
      unattributedUsd += unexplainedUsd;
    },
    stop: (claims) => {
      read.stopped += 1;
      unattributedUsd += sumClaims(claims);
    },
    leaveOut: (claims) => {
      const usd = sumClaims([...claims.values()].flat());
      read.leftOutUsd += usd;
      unattributedUsd += usd;
    },
    finish: () => ({
      totalUsd,
      parties: [...parties].map(toExposed).toSorted(largestFirst),
      unattributedUsd,
      read,
    }),
  };
};

export const sumClaims = (claims: readonly Claim[]): number => claims.reduce((sum, { usd }) => sum + usd, 0);

const book = (parties: Map<Address, Party>, claim: Claim, label: Label | undefined, hop: number): void => {
  if (label === undefined) return;
  const party = parties.get(claim.party) ?? {
    label,
    directUsd: 0,
    indirectUsd: 0,
    minHops: hop,
    direct: [],
    best: null,
  };
  parties.set(claim.party, party);
  party.minHops = Math.min(party.minHops, hop);
  if (hop === 1) {
    party.directUsd += claim.usd;
    party.direct.push(...claim.path);
    return;
  }
  party.indirectUsd += claim.usd;
  if (party.best === null || claim.usd > party.best.usd) party.best = claim;
};

const toExposed = ([address, party]: readonly [Address, Party]): ExposedParty => ({
  address,
  label: party.label,
  directUsd: party.directUsd,
  indirectUsd: party.indirectUsd,
  minHops: party.minHops,
  direct: party.direct.toSorted((a, b) => b.usd - a.usd).slice(0, STEPS_TOLD_MAX),
  path: party.best?.path ?? null,
});

const usdOf = ({ directUsd, indirectUsd }: ExposedParty): number => directUsd + indirectUsd;

const largestFirst = (a: ExposedParty, b: ExposedParty): number =>
  usdOf(b) - usdOf(a) || (a.address < b.address ? -1 : 1);
