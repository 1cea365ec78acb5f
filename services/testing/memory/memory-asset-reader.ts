import type { AssetReader } from '../../investigate/model/asset-reader.ts';
import { type AssetClaim, describeAsset } from '../../investigate/model/describe-asset.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';

/** The asset reader over what assets say of themselves, by `chain:asset`. Without any it knows listed assets. */
export const createMemoryAssetReader = (
  claims: ReadonlyMap<string, AssetClaim> = new Map(),
): AssetReader => ({
  assets: async ({ chain }, assets, { signal }) => {
    if (signal.aborted) throw new ReadFailedError('aborted');
    const unknown: AssetClaim = { symbol: null, decimals: null };
    return assets.map((asset) =>
      describeAsset(chain, asset, claims.get(`${chain.name}:${asset}`) ?? unknown),
    );
  },
});
