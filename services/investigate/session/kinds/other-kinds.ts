import type { Address } from '../../model/address.ts';
import type { Asset, CanonicalAsset } from '../../model/asset.ts';
import type { AssetReader } from '../../model/asset-reader.ts';
import type { Chain } from '../../model/chain.ts';
import type { AssetFacts } from '../../model/describe-asset.ts';
import type { HoldingReader } from '../../model/holding-reader.ts';
import type { Moment, Price, PriceReader } from '../../model/price-reader.ts';
import { kind } from './make-kind.ts';

type OfChain = { readonly chain: Chain };

export const priceKinds = (reader: PriceReader) => ({
  prices: kind<OfChain & { readonly reachHours?: number }, Moment, Price | null>({
    query: reader.prices,
    textOf: ({ canonicalAsset, timeUnixSeconds }) => `${timeUnixSeconds} ${canonicalAsset}`,
  }),
});

export const assetKinds = (reader: AssetReader) => ({
  assets: kind<OfChain, Asset, AssetFacts>({
    query: reader.assets,
  }),
});

type Held = { readonly chain: string; readonly wallet: Address };

/** Of the chain's nodes. */
export const holdingKinds = (reader: HoldingReader) => ({
  holding: kind<Held, CanonicalAsset, bigint | null>({ query: reader.holding }),
});
