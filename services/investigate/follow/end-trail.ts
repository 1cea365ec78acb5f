import type { Address } from '../model/address.ts';
import { sumOf } from '../model/amount.ts';
import { isUnverifiedToken } from '../model/asset.ts';
import { type ContiguousRange, type FlowPage, transactionKey } from '../model/transfer-reader.ts';
import { startPosition } from './find-asset.ts';
import type { FollowContext, FollowedWallet } from './follow-context.ts';
import { unlessUnread } from './follow-reader.ts';
import { largestOf, nameBranches, toBranches, toOutput, toSwapBranch } from './name-branches.ts';
import { startOf } from './payments/gather-outflows.ts';
import {
  type Destination,
  groupDestinations,
  isMain,
  type SwapDestination,
  type WalletDestination,
} from './payments/group-destinations.ts';
import type { Stake } from './payments/inflow.ts';
import { BRANCHES_MAX, MAJORITY_PARTS, MOVED_ON_MIN_PARTS, PARTS } from './rules.ts';
import type { FoundEnd } from './trail.ts';
import type { WalletCoverage } from './wallet-coverage.ts';
import type { Caveat, Rested, Why } from './why.ts';

/** What arrived in the last wallet, and what of it left for where. */
export type Sums = {
  readonly arrivedRaw: bigint;
  readonly leftRaw: bigint;
  readonly destinations: readonly Destination[];
};

/** What is not indexed may have moved on: only of a wallet that is known whole can it be said that money rests there. */
export const endAtRest = async (
  context: FollowContext,
  { wallet, stake }: FollowedWallet,
  { sums, known }: { readonly sums: Sums; readonly known: WalletCoverage },
): Promise<FoundEnd> => {
  const { request, read } = context;
  const { chain, start, backward } = request;
  if (backward ? known.lifetime === 'unread' : known.sinceInflow === 'unread') return endUnindexed(wallet);
  const span = await context.span;
  if (wallet === start && sums.leftRaw === 0n) {
    const isKnown = await read((reader, limits) => reader.isKnown({ chain: chain.name, wallet, ...limits }));
    if (!isKnown) return endWithoutRows(wallet, { type: span === null ? 'chain_unread' : 'unknown' });
  }
  if (!backward && hasJustArrived(stake, span)) {
    const why = { type: 'just_arrived', arrivedRaw: sums.arrivedRaw } as const;
    return { ...endWithoutRows(wallet, why), because: 'new' };
  }
  return endWithSums(context, { wallet, stake }, { sums, known });
};

const endWithSums = async (
  context: FollowContext,
  { wallet, stake }: FollowedWallet,
  { sums, known }: { readonly sums: Sums; readonly known: WalletCoverage },
): Promise<FoundEnd> => {
  const { chain, backward, atUnixSeconds } = context.request;
  const isOwnOnly = isUnverifiedToken(chain, context.asset.canonicalAsset);
  const isPart = !backward && known.sinceInflow === 'part';
  // What a source holds now, or destroyed, says nothing of where its money came from.
  const canTell = known.lifetime === 'whole' && !backward && !isOwnOnly && !isPart;
  const sinceUnixSeconds = stake.lots[0]?.blockTime ?? atUnixSeconds ?? 0;
  const [leftOut, held, burntRaw] = await Promise.all([
    isOwnOnly ? readLeftOut(context, { wallet, stake }) : [],
    backward || isPart ? NOT_HELD : readHolding(context, wallet, canTell),
    backward ? 0n : readBurnt(context, wallet, sinceUnixSeconds),
  ]);
  const beside = [...toBranches(chain, wallet, sums.destinations), ...toBranches(chain, wallet, leftOut)];
  const others = await nameBranches(context, largestOf(beside));
  const why = whyAtRest({ ...sums, burntRaw, isTold: stake.told === 'request' });
  const caveats = toCaveats(leftOut);
  if (isPart) return { ...endWithoutRows(wallet, why, [...caveats, { type: 'known_in_part' }]), others };
  return mayBeTheMoney(leftOut, sums)
    ? { ...endWithoutRows(wallet, why, caveats), because: 'left_out', others }
    : { reason: 'at_rest', address: wallet, why, caveats, ...held, others };
};

/** Most of it with the newest block: nothing that followed can be known. */
const hasJustArrived = ({ lots }: Stake, span: ContiguousRange | null): boolean => {
  const newest = span?.toBlock ?? Number.POSITIVE_INFINITY;
  const fresh = lots.filter(({ blockNumber }) => blockNumber >= newest);
  return fresh.length > 0 && sumOf(fresh) * PARTS >= sumOf(lots) * MAJORITY_PARTS;
};

/** No hop, but not still there either: bridges and issuers take a token out by it. */
const readBurnt = (
  { request: { chain }, asset: { canonicalAsset }, read }: FollowContext,
  wallet: Address,
  sinceUnixSeconds: number,
): Promise<bigint> => {
  const asked = {
    chain: chain.name,
    wallet,
    canonicalAsset,
    sinceUnixSeconds,
    ownOnly: isUnverifiedToken(chain, canonicalAsset),
  };
  return read((reader, limits) => reader.burnt({ ...asked, ...limits }));
};

/** The chain's nodes know the wallet's history, and were not asked yet. */
export const endUnindexed = (address: Address): FoundEnd => ({
  ...endWithoutRows(address, { type: 'unindexed' }),
  because: 'unread',
});

const endWithoutRows = (
  address: Address,
  why: Why,
  caveats: readonly Caveat[] = [],
): Extract<FoundEnd, { reason: 'no_data' }> => ({
  reason: 'no_data',
  because: 'not_indexed',
  address,
  why,
  caveats,
});

type Held = Pick<Extract<FoundEnd, { reason: 'at_rest' }>, 'holdingRaw' | 'holdingSource'>;
const NOT_HELD: Held = { holdingRaw: null, holdingSource: null };

/** By rows where they are whole and give no less than nothing: then some are missing after all. Else by a node of the chain. */
const readHolding = async (
  { request, asset, read }: FollowContext,
  wallet: Address,
  isComplete: boolean,
): Promise<Held> => {
  const asked = { chain: request.chain.name, wallet, canonicalAsset: asset.canonicalAsset };
  const balanceRaw = isComplete
    ? await read((reader, limits) => reader.balance({ ...asked, ...limits }))
    : null;
  if (balanceRaw !== null && balanceRaw >= 0n) return { holdingRaw: balanceRaw, holdingSource: 'rows' };
  const holdingRaw = await unlessUnread(
    read((_, limits, { holdings }) => holdings.holding({ ...asked, ...limits })),
    null,
  );
  return holdingRaw === null ? NOT_HELD : { holdingRaw, holdingSource: 'node' };
};

const whyAtRest = ({ destinations, ...sums }: Sums & Rested): Why => {
  if (sums.leftRaw === 0n) return { type: 'nothing_left', burntRaw: sums.burntRaw };
  const hasMain = destinations.some((destination) => isMain(destination, sums.leftRaw));
  return { type: hasMain ? 'rests' : 'scattered', ...sums };
};

export const endWithSplit = async (
  context: FollowContext,
  wallet: Address,
  { leftRaw, destinations }: Sums,
): Promise<FoundEnd> => {
  const shown = toBranches(context.request.chain, wallet, destinations).slice(0, BRANCHES_MAX);
  const branches = await nameBranches(context, shown);
  const largestRaw = destinations[0]?.amountRaw ?? 0n;
  return {
    reason: 'split',
    address: wallet,
    why: { type: 'split', destinations: destinations.length, largestRaw, leftRaw },
    caveats: [],
    branches,
  };
};

export const endWithSwap = async (
  context: FollowContext,
  wallet: Address,
  { into, others }: { readonly into: SwapDestination; readonly others: readonly Destination[] },
): Promise<FoundEnd> => {
  const { request } = context;
  const { main, besides } = into;
  const unnamed = [
    ...besides.map((stream) => toSwapBranch(request.chain, wallet, stream)),
    ...toBranches(request.chain, wallet, others),
  ];
  const [output, branches] = await Promise.all([
    toOutput(context, main),
    nameBranches(context, largestOf(unnamed)),
  ]);
  return {
    reason: 'dex_swap',
    address: wallet,
    why: { type: 'swapped', amountRaw: main.amountRaw, output, through: main.largestSwap.through },
    caveats: [],
    output,
    mainTransfer: main.largestSwap,
    timeUnixSeconds: main.firstSwap.blockTime,
    others: branches,
  };
};

/**
 * What others' transactions say that the wallet paid of a token that may log falsely; direction, got. It may have been an
 * allowance or a smart account, or a token that lies.
 */
export const readLeftOut = async (
  { request, direction, asset: { canonicalAsset }, read, pages }: FollowContext,
  { wallet, stake }: FollowedWallet,
): Promise<readonly WalletDestination[]> => {
  const { chain } = request;
  const [first] = stake.lots;
  const from = first === undefined ? startPosition(request) : startOf(first);
  const { onward } = direction;
  const ask = (ownOnly: boolean): Promise<FlowPage> =>
    read((reader, limits) =>
      reader[onward]({
        ...{ chain: chain.name, wallet, canonicalAsset, from, ownOnly, transfersOnly: true },
        ...{ limit: pages.firstRows, ...limits },
      }),
    );
  const [all, own] = await Promise.all([ask(false), ask(true)]);
  const ownKeys = new Set(own.rows.map(transactionKey));
  const payments = all.rows.flatMap((row) =>
    row.type === 'transfer' && !ownKeys.has(transactionKey(row)) ? [{ ...row, to: row.counterparty }] : [],
  );
  return groupDestinations(payments, direction).filter((destination) => destination.type === 'wallet');
};

export const toCaveats = (leftOut: readonly WalletDestination[]): readonly Caveat[] => {
  const to: readonly Address[] = leftOut.map(({ address }) => address);
  return to.length === 0 ? [] : [{ type: 'left_out', amountRaw: sumOf(leftOut), to }];
};

/** More than change of what arrived: that it rests cannot be said. */
export const mayBeTheMoney = (
  leftOut: readonly WalletDestination[],
  { arrivedRaw }: { readonly arrivedRaw: bigint },
): boolean => leftOut.length > 0 && sumOf(leftOut) * PARTS >= arrivedRaw * MOVED_ON_MIN_PARTS;
