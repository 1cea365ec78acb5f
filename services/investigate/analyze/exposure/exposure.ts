import type { Address } from '../../model/address.ts';
import { tidyShare } from '../../model/amount.ts';
import type { Asset } from '../../model/asset.ts';
import type { Label, LabelKind } from '../../model/label.ts';
import type { TransactionPosition } from '../../model/transfer-reader.ts';

/**
 * One movement on the path between the subject and a labelled party. `usd` counts only the subject's money.
 */
export type PathStep = TransactionPosition & {
  readonly from: Address;
  readonly to: Address;
  readonly canonicalAsset: Asset;
  readonly amountRaw: bigint;
  readonly usd: number;
};

/** A labelled party at the other end of some of the subject's money. */
export type ExposedParty = {
  readonly address: Address;
  readonly label: Label;
  readonly directUsd: number;
  readonly indirectUsd: number;
  /** 1: direct counterparties. */
  readonly minHops: number;
  /** The largest transfers with the subject itself. */
  readonly direct: readonly PathStep[];
  /**
   * The path that carried most of the indirect money, in the order in which it moved; null when there is
   * none.
   */
  readonly path: readonly PathStep[] | null;
};

/** The sources or the destinations of the money, for one direction. */
export type ExposureSide = {
  readonly totalUsd: number;
  /** The largest first. */
  readonly parties: readonly ExposedParty[];
  readonly unattributedUsd: number;
  /** How far the search went. */
  readonly read: {
    /**
     * Unlabelled wallets whose history was read, and those where the search stopped because they are busy or
     * pay strangers.
     */
    readonly wallets: number;
    readonly stopped: number;
    /** Dollars at wallets that were not examined, because there were too many or time ran out. */
    readonly leftOutUsd: number;
  };
};

/** null: nothing with a price moved in this direction, so nothing is known. */
export type Exposure = { readonly in: ExposureSide | null; readonly out: ExposureSide | null };

export type KindExposure = {
  readonly usd: number;
  readonly share: number;
  readonly directUsd: number;
  readonly indirectUsd: number;
  /** null when none was found. */
  readonly minHops: number | null;
};

/** All parties of one kind together, as a share of everything that moved in this direction. */
export const exposureTo = (side: ExposureSide, kind: LabelKind): KindExposure => {
  const of = side.parties.filter(({ label }) => label.kind === kind);
  const sum = (usdOf: (party: ExposedParty) => number): number =>
    of.reduce((total, party) => total + usdOf(party), 0);
  const directUsd = sum((party) => party.directUsd);
  const indirectUsd = sum((party) => party.indirectUsd);
  const usd = directUsd + indirectUsd;
  const minHops = of.length === 0 ? null : Math.min(...of.map((party) => party.minHops));
  return { usd, share: tidyShare(usd / side.totalUsd), directUsd, indirectUsd, minHops };
};
