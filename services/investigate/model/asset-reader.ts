import type { Asset } from './asset.ts';
import type { Chain } from './chain.ts';
import type { AssetFacts } from './describe-asset.ts';
import type { ReadLimits } from './transfer-reader.ts';

export type AssetReader = {
  /**
   * What is known of each asset, in the order asked. One round of one query, however many are asked. Throws
   * `ReadFailedError` as the transfer reader does.
   */
  readonly assets: (
    request: ReadLimits & { chain: Chain; assets: readonly Asset[] },
  ) => Promise<readonly AssetFacts[]>;
};
