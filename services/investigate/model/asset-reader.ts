import type { Asset } from './asset.ts';
import type { Chain } from './chain.ts';
import type { AssetFacts } from './describe-asset.ts';
import type { ReadLimits } from './transfer-reader.ts';

export type AssetReader = {
  /**
   * What is known of each asset, in the order asked. One query, however many are asked. Throws
   * `ReadFailedError` like the transfer reader.
   */
  readonly assets: (
    request: ReadLimits & { chain: Chain; assets: readonly Asset[] },
  ) => Promise<readonly AssetFacts[]>;
};
