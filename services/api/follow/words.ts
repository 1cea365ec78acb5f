import type { Trail } from '../../investigate/follow/trail.ts';
import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';

/** What sentences about a trail are made from. */
export type TrailView = Pick<Trail, 'chain' | 'asset' | 'backward'>;
export type Words = ReturnType<typeof wordsOf>;

export const wordsOf = ({ chain, asset }: Pick<TrailView, 'chain' | 'asset'>) => ({
  name: (address: Address): string => presentAddress(chain, address),
  sum: (amountRaw: bigint): string => {
    const unit = asset.symbol ?? (asset.decimals === null ? 'raw units' : 'tokens');
    return `${toWholeUnits(amountRaw, asset.decimals)} ${unit}`;
  },
  ofAsset: asset.symbol === null ? '' : ` (${asset.symbol})`,
});
