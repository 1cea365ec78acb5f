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
    query: (common, moments, limits) => reader.prices({ ...common, moments, ...limits }),
    textOf: ({ canonicalAsset, timeUnixSeconds }) => `${timeUnixSeconds} ${canonicalAsset}`,
  }),
});

export const assetKinds = (reader: AssetReader) => ({
  assets: kind<OfChain, Asset, AssetFacts>({
    query: (common, assets, limits) => reader.assets({ ...common, assets, ...limits }),
  }),
});

type Held = { readonly chain: string; readonly canonicalAsset: CanonicalAsset };

/** Of the chain's nodes, which are asked wallet by wallet. */
export const holdingKinds = (reader: HoldingReader) => ({
  holding: kind<Held, Address, bigint | null>({
    query: (common, wallets, limits) =>
      Promise.all(wallets.map((wallet) => reader.holding({ ...common, wallet, ...limits }))),
  }),
});
