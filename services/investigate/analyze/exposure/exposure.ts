import type { Address } from '../../model/address.ts';
import type { Asset } from '../../model/asset.ts';
import type { Label, LabelKind } from '../../model/label.ts';
import type { TransactionPosition } from '../../model/transfer-reader.ts';

/** One movement on the way between the subject and a labelled party; `usd` is of the subject's money alone. */
export type PathStep = TransactionPosition & {
  readonly from: Address;
  readonly to: Address;
  readonly canonicalAsset: Asset;
  readonly amountRaw: bigint;
  readonly usd: number;
};

/** A labelled party that some of the subject's money came from, or went to. */
export type ExposedParty = {
  readonly address: Address;
  readonly label: Label;
  readonly directUsd: number;
  readonly indirectUsd: number;
  /** 1: they dealt with each other. */
  readonly minHops: number;
  /** The largest transfers with the subject itself. */
  readonly direct: readonly PathStep[];
  /** The way by which most came indirectly, in the order in which money moved; null without one. */
  readonly path: readonly PathStep[] | null;
};

/** Where the money of one direction came from, or went. */
export type ExposureSide = {
  readonly totalUsd: number;
  /** The largest first. */
  readonly parties: readonly ExposedParty[];
  readonly unattributedUsd: number;
  /** How far was looked. */
  readonly read: {
    /** Unlabelled wallets whose history was read, and those at which it stopped because they are busy or pay strangers. */
    readonly wallets: number;
    readonly stopped: number;
    /** Dollars of wallets that were not looked at, because there were too many or the time was over. */
    readonly leftOutUsd: number;
  };
};

/** null: nothing came in (went out) that has a price, so nothing is known. */
export type Exposure = { readonly in: ExposureSide | null; readonly out: ExposureSide | null };

export type KindExposure = {
  readonly usd: number;
  readonly share: number;
  readonly directUsd: number;
  readonly indirectUsd: number;
  /** null where none of it was found. */
  readonly minHops: number | null;
};

/** Of one kind of parties together, as a share of all that came in (went out). */
export const exposureTo = (side: ExposureSide, kind: LabelKind): KindExposure => {
  const of = side.parties.filter(({ label }) => label.kind === kind);
  const sum = (usdOf: (party: ExposedParty) => number): number =>
    of.reduce((total, party) => total + usdOf(party), 0);
  const directUsd = sum((party) => party.directUsd);
  const indirectUsd = sum((party) => party.indirectUsd);
  const usd = directUsd + indirectUsd;
  const minHops = of.length === 0 ? null : Math.min(...of.map((party) => party.minHops));
  return { usd, share: usd / side.totalUsd, directUsd, indirectUsd, minHops };
};
