import type { Address } from '../model/address.ts';
import { largestFirst } from '../model/amount.ts';
import { isMain } from './decide-step.ts';
import { describeEnd, type Rested } from './describe-end.ts';
import type { Journey, Stand } from './journey.ts';
import type { Knowledge } from './know-wallet.ts';
import { nameBranches, toBranches, toOutput, toSwapBranch } from './name-branches.ts';
import type { Destination, SwapDestination } from './payments/group-destinations.ts';
import { mayLogFalsely } from './payments/take-outgoing.ts';
import { BRANCHES_MAX, OTHERS_MAX } from './rules.ts';
import type { FoundEnd } from './trail.ts';

/** What arrived in the last wallet, and what of it left for where. */
export type Sums = {
  readonly arrivedRaw: bigint;
  readonly leftRaw: bigint;
  readonly destinations: readonly Destination[];
};

/** What is not indexed may have moved on: only of a wallet that is known whole can it be said that money rests there. */
export const endAtRest = async (
  journey: Journey,
  { wallet, arrivals }: Stand,
  { sums, known }: { readonly sums: Sums; readonly known: Knowledge },
): Promise<FoundEnd> => {
  const { request, asset, read } = journey;
  const { chain, start, backward, atUnixSeconds } = request;
  const describe = describeEnd(request, asset);
  if (backward ? known.ever === 'unread' : known.onward === 'unread') return endUnindexed(journey, wallet);
  if (wallet === start && sums.leftRaw === 0n) {
    const isKnown = await read((reader, limits) => reader.isKnown({ chain: chain.name, wallet, ...limits }));
    if (!isKnown) return endWithoutRows(wallet, describe.unknown(wallet));
  }
  const isOwnOnly = mayLogFalsely(chain, asset.family);
  const isPart = !backward && known.onward === 'part';
  // What a source holds now, or destroyed, says nothing of where its money came from.
  const canTell = known.ever === 'whole' && !backward && !isOwnOnly && !isPart;
  const sinceUnixSeconds = arrivals?.[0]?.blockTime ?? atUnixSeconds ?? 0;
  const [others, holdingRaw, burntRaw] = await Promise.all([
    nameBranches(journey, toBranches(chain, wallet, sums.destinations).slice(0, OTHERS_MAX)),
    canTell ? readHolding(journey, wallet) : null,
    backward ? 0n : readBurnt(journey, wallet, sinceUnixSeconds),
  ]);
  const isTold = arrivals?.[0]?.isTold ?? false;
  const detail =
    restDetail(describe, wallet, { ...sums, burntRaw, isTold }) + (isOwnOnly ? describe.ownOnly : '');
  return isPart
    ? { ...endWithoutRows(wallet, `${detail} ${describe.knownInPart(wallet)}`), others }
    : { reason: 'at_rest', address: wallet, detail, holdingRaw, others };
};

/** No hop, but not still there either: bridges and issuers take a token out by it. */
const readBurnt = (
  { request: { chain }, asset: { family }, read }: Journey,
  wallet: Address,
  sinceUnixSeconds: number,
): Promise<bigint> => {
  const asked = {
    chain: chain.name,
    wallet,
    family,
    sinceUnixSeconds,
    ownOnly: mayLogFalsely(chain, family),
  };
  return read((reader, limits) => reader.burnt({ ...asked, ...limits }));
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
  { destinations, ...sums }: Sums & Rested,
): string => {
  if (sums.leftRaw === 0n) return describe.nothingLeft(wallet, sums.burntRaw);
  return destinations.some((destination) => isMain(destination, sums.leftRaw))
    ? describe.rests(wallet, sums)
    : describe.scattered(wallet, sums);
};

export const endWithSplit = async (
  journey: Journey,
  wallet: Address,
  { leftRaw, destinations }: Sums,
): Promise<FoundEnd> => {
  const shown = toBranches(journey.request.chain, wallet, destinations).slice(0, BRANCHES_MAX);
  const branches = await nameBranches(journey, shown);
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

export const endWithSwap = async (
  journey: Journey,
  wallet: Address,
  { into, others }: { readonly into: SwapDestination; readonly others: readonly Destination[] },
): Promise<FoundEnd> => {
  const { request, asset } = journey;
  const { main, besides } = into;
  const unnamed = [
    ...besides.map((stream) => toSwapBranch(request.chain, wallet, stream)),
    ...toBranches(request.chain, wallet, others),
  ].sort(largestFirst);
  const [output, branches] = await Promise.all([
    toOutput(journey, main.otherAsset),
    nameBranches(journey, unnamed.slice(0, OTHERS_MAX)),
  ]);
  return {
    reason: 'dex_swap',
    address: wallet,
    detail: describeEnd(request, asset).swapped(wallet, {
      ...main,
      output,
      through: main.largestSwap.through,
    }),
    output,
    signature: main.largestSwap,
    timeUnixSeconds: main.firstSwap.blockTime,
    others: branches,
  };
};
