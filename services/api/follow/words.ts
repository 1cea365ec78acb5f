import type { Trail } from '../../investigate/follow/trail.ts';
import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { toWholeText } from '../../investigate/model/amount.ts';
import { type Label, passingKind } from '../../investigate/model/label.ts';

/** Phrases for sentences about a trail. */
export type TrailView = Pick<Trail, 'chain' | 'asset' | 'backward'> & {
  /** Set when the last wallet's outflows are partly unknown, or do not all count. */
  readonly isPart: boolean;
};
export type Words = ReturnType<typeof wordsOf>;

export const wordsOf = ({ chain, asset }: Pick<TrailView, 'chain' | 'asset'>) => ({
  name: (address: Address): string => presentAddress(chain, address),
  sum: (amountRaw: bigint): string => {
    const unit = asset.symbol ?? (asset.decimals === null ? 'raw units' : 'tokens');
    return `${toWholeText(amountRaw, asset.decimals)} ${unit}`;
  },
  ofAsset: asset.symbol === null ? '' : ` (${asset.symbol})`,
});

/** `Garantex, a sanctioned exchange`. */
export const whoIs = (label: Label): string => {
  const { name, kind } = label;
  const passing = passingKind(label) ?? kind;
  const words = kind === 'sanctioned' && passing !== kind ? `sanctioned ${passing}` : passing;
  return `${name}, ${words.startsWith('e') ? 'an' : 'a'} ${words}`;
};
