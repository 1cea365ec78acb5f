import type { Address } from '../model/address.ts';
import { presentAddress } from '../model/address.ts';
import { toWholeUnits } from '../model/amount.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { FollowedAsset } from './trail.ts';

/** Sentences that say why a trail ends, ready to show. */
export const describeEnd = (chain: Chain, asset: FollowedAsset) => {
  const name = (address: Address): string => presentAddress(chain, address);
  const sum = (amountRaw: bigint): string => {
    const unit = asset.symbol ?? (asset.decimals === null ? 'raw units' : 'tokens');
    return `${toWholeUnits(amountRaw, asset.decimals)} ${unit}`;
  };
  const percent = (part: bigint, whole: bigint): string => `${Number((part * 1_000n) / whole) / 10} %`;

  return {
    labelled: ({ name: who, kind }: Label): string =>
      kind === 'bridge'
        ? `The money reached ${who}, a bridge: it goes on on another chain.`
        : `The money reached ${who}, ${kind === 'exchange' ? 'an' : 'a'} ${kind}.`,
    swapped: (wallet: Address, amountRaw: bigint, output: string): string =>
      `${name(wallet)} swapped ${sum(amountRaw)} into ${output}.`,
    split: (wallet: Address, count: number, largestRaw: bigint, leftRaw: bigint): string =>
      `${name(wallet)} sent the money to ${count} destinations, and the largest got only ${percent(largestRaw, leftRaw)} of what left.`,
    nothingLeft: (wallet: Address): string =>
      `${name(wallet)} has sent none of it on${asset.symbol === null ? '' : ` (${asset.symbol})`}.`,
    rests: (wallet: Address, leftRaw: bigint, arrivedRaw: bigint): string =>
      `Only ${sum(leftRaw)} of the ${sum(arrivedRaw)} that arrived has left ${name(wallet)}: the rest is still there.`,
    scattered: (wallet: Address, leftRaw: bigint, arrivedRaw: bigint): string =>
      `${sum(leftRaw)} of the ${sum(arrivedRaw)} that arrived has left ${name(wallet)}, to several destinations of which none is the main one: most of it is still there.`,
    looped: (wallet: Address): string =>
      `The money went back to ${name(wallet)}, a wallet that is already on the trail.`,
    hopsUsed: (hops: number): string =>
      `The trail goes on: ${hops} ${hops === 1 ? 'hop was' : 'hops were'} the most to follow in this call.`,
    timeUsed: (wallet: Address): string =>
      `The trail may go on: the time for one call was used up before ${name(wallet)} was read.`,
    unknown: (wallet: Address): string => `Nothing is known about ${name(wallet)} in the data at hand.`,
    unread: (wallet: Address): string => `${name(wallet)} could not be read; the trail may go on.`,
    cut: (rows: number): string =>
      ` It is a busy wallet: only the first ${rows} of its movements after the money arrived were read.`,
  };
};
