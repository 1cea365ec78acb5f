import { largestFirst } from '../../model/amount.ts';
import type { Asset } from '../../model/asset.ts';
import type { Inflow } from '../payments/inflow.ts';

/** Money that a wallet put where a receipt stands for it, and that came back to it. */
export type Position = {
  readonly receipt: Asset;
  readonly deposit: Inflow;
  /** What came back, with what it earned. */
  readonly back: Inflow;
};

/** The largest of a hop, so that an answer stays small. */
export const POSITIONS_SHOWN_MAX = 20;
export const largestPositions = (positions: readonly Position[]): readonly Position[] =>
  positions.toSorted((a, b) => largestFirst(a.back, b.back)).slice(0, POSITIONS_SHOWN_MAX);

export const placesOf = (positions: readonly Position[]): readonly Inflow[] =>
  positions.flatMap(({ deposit, back }) => [deposit, back]);
