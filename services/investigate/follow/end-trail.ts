import type { Address } from '../model/address.ts';
import { assetFamily } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import { describeEnd } from './describe-end.ts';
import type { Destination, SwapDestination } from './group-destinations.ts';
import { type Journey, readLabels, type Stand, toAsset } from './journey.ts';
import type { Knowledge } from './know-wallet.ts';
import { BRANCHES_MAX, OTHERS_MAX } from './rules.ts';
import { mayLogFalsely } from './take-outgoing.ts';
import type { FoundBranch, FoundEnd } from './trail.ts';

/** What arrived in the last wallet, and what of it left for where. */
export type Sums = {
  readonly arrivedRaw: bigint;
  readonly leftRaw: bigint;
  readonly destinations: readonly Destination[];
};

/** What is not indexed may have moved on: only of a wallet that is known whole can it be said that money rests there. */
export const endAtRest = async (
  journey: Journey,
  { wallet }: Stand,
  { sums, known }: { readonly sums: Sums; readonly known: Knowledge },
): Promise<FoundEnd> => {
  const { request, asset, read } = journey;
  const { chain, start, backward } = request;
  const describe = describeEnd(request, asset);
  if (backward ? known.ever === 'unread' : known.onward === 'unread') return endUnindexed(journey, wallet);
  if (wallet === start && sums.leftRaw === 0n) {
    const isKnown = await read((reader, limits) => reader.isKnown({ chain: chain.name, wallet, ...limits }));
    if (!isKnown) return endWithoutRows(wallet, describe.unknown(wallet));
  }
  const isOwnOnly = mayLogFalsely(chain, asset.family);
  const detail = restDetail(describe, wallet, sums) + (isOwnOnly ? describe.ownOnly : '');
  const naming = nameBranches(journey, wallet, sums.destinations.slice(0, OTHERS_MAX));
  if (!backward && known.onward === 'part') {
    const end = endWithoutRows(wallet, `${detail} ${describe.knownInPart(wallet)}`);
    return { ...end, others: await naming };
  }
  // What a source holds now says nothing of where its money came from.
  const canTell = known.ever === 'whole' && !backward && !isOwnOnly;
  const holding = canTell ? readHolding(journey, wallet) : null;
  const [others, holdingRaw] = await Promise.all([naming, holding]);
  return { reason: 'at_rest', address: wallet, detail, holdingRaw, others };
};

/** The chain's nodes know the wallet's history, and were not asked yet. */
export const endUnindexed = ({ request, asset }: Journey, address: Address): FoundEnd => ({
  reason: 'no_data',
  because: 'unread',
  address,
  detail: describeEnd(request, asset).unindexed(address),
});

const endWithoutRows = (address: Address, detail: string): Extract<FoundEnd, { reason: 'no_data' }> => ({
  reason: 'no_data',
  because: 'not_indexed',
  address,
  detail,
});

/** null where no row names the wallet, and where rows give less than nothing: then some are missing after all. */
const readHolding = async ({ request, asset, read }: Journey, wallet: Address): Promise<bigint | null> => {
  const balanceRaw = await read((reader, limits) =>
    reader.balance({ chain: request.chain.name, wallet, family: asset.family, ...limits }),
  );
  return balanceRaw === null || balanceRaw < 0n ? null : balanceRaw;
};

const restDetail = (
  describe: ReturnType<typeof describeEnd>,
  wallet: Address,
  { arrivedRaw, leftRaw, destinations }: Sums,
): string => {
  if (leftRaw === 0n) return describe.nothingLeft(wallet);
  return destinations.length > 1
    ? describe.scattered(wallet, leftRaw, arrivedRaw)
    : describe.rests(wallet, leftRaw, arrivedRaw);
};

export const endWithSplit = async (
  journey: Journey,
  wallet: Address,
  { leftRaw, destinations }: Sums,
): Promise<FoundEnd> => {
  const branches = await nameBranches(journey, wallet, destinations.slice(0, BRANCHES_MAX));
  const largestRaw = destinations[0]?.amountRaw ?? 0n;
  return {
    reason: 'split',
    address: wallet,
    detail: describeEnd(journey.request, journey.asset).split(
      wallet,
      destinations.length,
      largestRaw,
      leftRaw,
    ),
    branches,
  };
};

const nameBranches = async (
  journey: Journey,
  wallet: Address,
  destinations: readonly Destination[],
): Promise<FoundBranch[]> => {
  if (destinations.length === 0) return [];
  const branches = destinations.map((to) => toUnlabelledBranch(journey.request.chain, wallet, to));
  const labels = await readLabels(
    journey,
    branches.map(({ to }) => to),
  );
  return branches.map((branch) => ({ ...branch, toLabel: labels.get(branch.to) ?? null }));
};

/**
 * A swap's branch leads to whom it was swapped through; where nobody gave the output, to the contract of what was issued, for
 * the coin to that of its wrapped form.
 */
export const toUnlabelledBranch = (
  chain: Chain,
  from: Address,
  destination: Destination,
): Omit<FoundBranch, 'toLabel'> => {
  const { amountRaw, carriers, largest } = destination;
  const sinceUnixSeconds = (carriers[0] ?? largest).blockTime;
  if (destination.type === 'wallet')
    return { from, to: destination.address, amountRaw, signature: largest, sinceUnixSeconds };
  const { otherAsset, largestSwap } = destination;
  const to = largestSwap.through ?? (otherAsset === NATIVE ? chain.wrappedNative : otherAsset);
  return { from, to, amountRaw, signature: largestSwap, sinceUnixSeconds };
};

export const endWithSwap = async (
  journey: Journey,
  wallet: Address,
  { amountRaw, otherAsset, largestSwap, firstSwap }: SwapDestination,
): Promise<FoundEnd> => {
  const { request, asset, read } = journey;
  const { symbol, decimals } = await toAsset(request.chain, assetFamily(request.chain, otherAsset), read);
  return {
    reason: 'dex_swap',
    address: wallet,
    detail: describeEnd(request, asset).swapped(wallet, amountRaw, symbol ?? otherAsset),
    output: { asset: otherAsset, symbol, decimals },
    signature: largestSwap,
    timeUnixSeconds: firstSwap.blockTime,
  };
};
