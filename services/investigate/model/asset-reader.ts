import type { Asset } from './asset.ts';
import type { Chain } from './chain.ts';
import type { AssetFacts } from './describe-asset.ts';
import type { Query } from './query.ts';

export type AssetReader = {
  /** What is known of each asset. */
  readonly assets: Query<{ readonly chain: Chain }, Asset, AssetFacts>;
};
