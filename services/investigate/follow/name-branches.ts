import type { Address } from '../model/address.ts';
import { largestFirst } from '../model/amount.ts';
import { type Asset, toCanonicalAsset } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import { NATIVE } from '../model/movement.ts';
import { type FollowContext, readLabels } from './follow-context.ts';
import type { Destination, SwapStream } from './payments/group-destinations.ts';
import { readAssets } from './read-assets.ts';
import { OTHERS_MAX } from './rules.ts';
import type { FoundBranch } from './trail.ts';

/** A branch before the label of its recipient and the name of its asset were read. */
export type UnnamedBranch = Omit<FoundBranch, 'toLabel' | 'output'> & {
  readonly swappedInto: { readonly asset: Asset; readonly amountRaw: bigint } | null;
};

/** Largest first, a swap as one branch for each asset that it was swapped into. */
export const toBranches = (
  chain: Chain,
  from: Address,
  destinations: readonly Destination[],
): readonly UnnamedBranch[] =>
  destinations.flatMap((destination) => {
    if (destination.type === 'swap')
      return [destination.main, ...destination.otherStreams].map((stream) =>
        toSwapBranch(chain, from, stream),
      );
    const { address: to, amountRaw, first, largest: mainTransfer } = destination;
    return [{ from, to, amountRaw, mainTransfer, sinceUnixSeconds: first.blockTime, swappedInto: null }];
  });

/**
 * It leads to whom it was swapped through; where nobody gave the output, to the contract of what was issued, for the coin to
 * that of its wrapped form.
 */
export const toSwapBranch = (
  chain: Chain,
  from: Address,
  { otherAsset, otherRaw, amountRaw, largestSwap, firstSwap }: SwapStream,
): UnnamedBranch => ({
  from,
  to: largestSwap.through ?? (otherAsset === NATIVE ? chain.wrappedNative : otherAsset),
  amountRaw,
  mainTransfer: largestSwap,
  sinceUnixSeconds: firstSwap.blockTime,
  swappedInto: { asset: otherAsset, amountRaw: otherRaw },
});

/** Branches that are shown beside the main stream. */
export const largestOf = <T extends { readonly amountRaw: bigint }>(branches: readonly T[]): readonly T[] =>
  branches.toSorted(largestFirst).slice(0, OTHERS_MAX);

/** One question for all labels, and one for all assets that no list names. */
export const nameBranches = async (
  context: FollowContext,
  branches: readonly UnnamedBranch[],
): Promise<readonly FoundBranch[]> => {
  if (branches.length === 0) return [];
  const addresses = branches.map(({ to }) => to);
  return withNames(context, branches, await readLabels(context, addresses));
};

export const withNames = async (
  { request: { chain }, reads }: FollowContext,
  branches: readonly UnnamedBranch[],
  labels: ReadonlyMap<Address, Label>,
): Promise<readonly FoundBranch[]> => {
  const outputs = branches.flatMap(({ swappedInto }) => swappedInto ?? []);
  const canonicalAssets = outputs.map(({ asset }) => toCanonicalAsset(chain, asset));
  const assetOf = await readAssets(chain, canonicalAssets, reads);
  return branches.map(({ swappedInto, ...branch }) => {
    const toLabel = labels.get(branch.to) ?? null;
    if (swappedInto === null) return { ...branch, toLabel, output: null };
    const { symbol, decimals } = assetOf(toCanonicalAsset(chain, swappedInto.asset));
    const output = { ...swappedInto, symbol, decimals, usd: null, recipient: branch.from };
    return { ...branch, toLabel, output };
  });
};
