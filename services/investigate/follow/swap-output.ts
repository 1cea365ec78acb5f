import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';

export type SwapOutput = {
  readonly asset: Asset;
  readonly symbol: string | null;
  readonly decimals: number | null;
};

/** With whom: mostly who swapped. */
export type Got = SwapOutput & { readonly recipient: Address };
