import type { Address } from '../model/address.ts';
import type { Asset } from '../model/asset.ts';

export type NamedAsset = {
  readonly asset: Asset;
  readonly symbol: string | null;
  readonly decimals: number | null;
};

/** What came out of a swap; backward, what was given for the money. */
export type SwapOutput = NamedAsset & {
  /** null where it is not known of all that was swapped. */
  readonly amountRaw: bigint | null;
  /** Dollars at that time; null before prices were read, and where none is known. */
  readonly usd: number | null;
};

/** With whom: mostly who swapped. */
export type Got = SwapOutput & { readonly recipient: Address };
