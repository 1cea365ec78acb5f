import type { Address } from '../model/address.ts';
import { most, sumOf } from '../model/amount.ts';
import { isUnverifiedToken, toCanonicalAsset } from '../model/asset.ts';
import { isBurnAddress } from '../model/burn-address.ts';
import { type ContiguousRange, type FlowPage, transactionKey } from '../model/transfer-reader.ts';
import { unlessUnread } from '../session/left-out.ts';
import { NOTHING_KNOWN } from './fates/fate.ts';
import { readFates } from './fates/read-fates.ts';
import type { FollowContext, FollowedWallet } from './follow-context.ts';
import { largestOf, nameBranches, toBranches, toSwapBranch } from './name-branches.ts';
import { beginOf } from './payments/gather-outflows.ts';
import {
  type Destination,
  groupDestinations,
  isMain,
  type SwapDestination,
  type WalletDestination,
} from './payments/group-destinations.ts';
import type { Stake } from './payments/inflow.ts';
import { findPositions } from './positions/find-positions.ts';
import { nameIssuer } from './positions/name-issuer.ts';
import { toAsset } from './read-assets.ts';
import type { Rest } from './rest.ts';
import { BRANCHES_MAX, MAJORITY_PARTS, MOVED_ON_MIN_PARTS, PARTS } from './rules.ts';
import type { FoundEnd } from './trail.ts';
import type { WalletCoverage } from './wallet-coverage.ts';
import type { Caveat, Why } from './why.ts';

/** What arrived in the last wallet, and where parts of it went. */
export type Sums = {
  readonly arrivedRaw: bigint;
  readonly leftRaw: bigint;
  readonly destinations: readonly Destination[];
};

type SeenSums = Sums & { readonly known: WalletCoverage };

/** Money rests only at a completely indexed wallet: unindexed transactions may have moved it on. */
export const endAtRest = async (
  context: FollowContext,
  current: FollowedWallet,
  seen: SeenSums,
): Promise<FoundEnd> => {
  const { wallet, stake } = current;
  const { leftRaw, arrivedRaw, known } = seen;
  const { request, reads } = context;
  const { chain, start, backward } = request;
  // Of a start it is not known yet whether anything ever came.
  if (!backward && wallet !== start && leftRaw === 0n && isBurnAddress(chain, wallet))
    return {
      reason: 'at_rest',
      address: wallet,
      why: { type: 'burnt' },
      caveats: [],
      ...NOT_HELD,
      fate: { ...NOTHING_KNOWN, burntRaw: arrivedRaw },
    };
  if (backward ? known.lifetime === 'unread' : known.sinceInflow === 'unread') return endUnindexed(wallet);
  const span = await context.span;
  if (wallet === start && leftRaw === 0n) {
    const [isKnown = false] = await reads.isKnown({ chain: chain.name }, [wallet]);
    if (!isKnown) return endWithoutRows(wallet, { type: span === null ? 'chain_unread' : 'unknown' });
  }
  if (!backward && hasJustArrived(stake, span)) {
    const why = { type: 'just_arrived', arrivedRaw } as const;
    return { ...endWithoutRows(wallet, why), because: 'new' };
  }
  return endWithSums(context, current, seen);
};

const endWithSums = async (
  context: FollowContext,
  current: FollowedWallet,
  { arrivedRaw, leftRaw, destinations, known }: SeenSums,
): Promise<FoundEnd> => {
  const { wallet, stake } = current;
  const { reads, asset } = context;
  const { chain, backward, atUnixSeconds } = context.request;
  const { canonicalAsset } = asset;
  const isOwnOnly = isUnverifiedToken(chain, canonicalAsset);
  const isPart = !backward && known.sinceInflow === 'part';
  // A source's present balance or burns say nothing about where its money came from.
  const canTell = known.lifetime === 'whole' && !backward && !isOwnOnly && !isPart;
  const sinceUnixSeconds = stake.lots[0]?.blockTime ?? atUnixSeconds ?? 0;
  const restRaw = most(0n, arrivedRaw - leftRaw);
  const [leftOut, held, [fate = NOTHING_KNOWN]] = await Promise.all([
    isOwnOnly ? readLeftOut(context, current) : [],
    backward || isPart ? NOT_HELD : readHolding(context, wallet, canTell),
    // Burnt money went nowhere, but does not rest either: bridges and issuers withdraw tokens this way.
    backward ? [] : readFates(context, [{ wallet, sinceUnixSeconds, restRaw }], reads),
  ]);
  const { burntRaw } = fate;
  const beside = toBranches(chain, wallet, [...destinations, ...leftOut]);
  const others = await nameBranches(context, largestOf(beside));
  const hasMain = destinations[0] !== undefined && isMain(destinations[0], leftRaw);
  const rested = { arrivedRaw, leftRaw, burntRaw, isAssertedByCaller: stake.source === 'caller' };
  const why: Why =
    leftRaw === 0n
      ? { type: 'nothing_left', burntRaw }
      : { type: hasMain ? 'rests' : 'scattered', ...rested };
  const caveats = toCaveats(leftOut);
  if (isPart) return { ...endWithoutRows(wallet, why, [...caveats, { type: 'known_in_part' }]), others };
  // More than change is missing, so it is unknown whether the money rests.
  const mayBeTheMoney = sumOf(leftOut) * PARTS >= arrivedRaw * MOVED_ON_MIN_PARTS;
  return leftOut.length > 0 && mayBeTheMoney
    ? { ...endWithoutRows(wallet, why, caveats), because: 'left_out', others }
    : { reason: 'at_rest', address: wallet, why, caveats, ...held, fate, others };
};

/** Most of the money came with the newest block, so nothing later is known. */
const hasJustArrived = ({ lots }: Stake, span: ContiguousRange | null): boolean => {
  const newest = span?.toBlock ?? Number.POSITIVE_INFINITY;
  const fresh = lots.filter(({ blockNumber }) => blockNumber >= newest);
  return fresh.length > 0 && sumOf(fresh) * PARTS >= sumOf(lots) * MAJORITY_PARTS;
};

/** What such a contract holds is everybody's who paid it. */
export const endAtPool = (address: Address): FoundEnd => ({
  ...{
    reason: 'at_rest',
    address,
    why: { type: 'pooled' },
    caveats: [],
    holdingRaw: null,
    holdingSource: null,
    fate: NOTHING_KNOWN,
  },
});

/** The chain's nodes know the wallet's history, and were not asked yet, or not for this part of it. */
export const endUnindexed = (address: Address, rest: Rest | null = null): FoundEnd => ({
  ...endWithoutRows(address, { type: 'unindexed' }),
  ...{ because: 'unread', rest },
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

/** From the rows if they are complete, else from a node of the chain. A negative balance shows that rows are missing after all. */
const readHolding = async (
  { request, asset, reads }: FollowContext,
  wallet: Address,
  isComplete: boolean,
): Promise<Held> => {
  const asked = { chain: request.chain.name, canonicalAsset: asset.canonicalAsset };
  const [balanceRaw = null] = isComplete ? await reads.balance(asked, [wallet]) : [];
  if (balanceRaw !== null && balanceRaw >= 0n) return { holdingRaw: balanceRaw, holdingSource: 'rows' };
  const [holdingRaw = null] = await unlessUnread(
    reads.holding({ chain: request.chain.name, wallet }, [asset.canonicalAsset]),
    [],
  );
  return holdingRaw === null ? NOT_HELD : { holdingRaw, holdingSource: 'node' };
};

export const endWithSplit = async (
  context: FollowContext,
  wallet: Address,
  { leftRaw, destinations }: Sums,
): Promise<FoundEnd> => {
  const largest = destinations.slice(0, BRANCHES_MAX);
  const shown = toBranches(context.request.chain, wallet, largest).slice(0, BRANCHES_MAX);
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
  const { chain } = context.request;
  const { main, otherStreams } = into;
  const unnamed = [
    ...otherStreams.map((stream) => toSwapBranch(chain, wallet, stream)),
    ...toBranches(chain, wallet, others),
  ];
  const { largestSwap } = main;
  const [{ symbol, decimals }, branches, positions] = await Promise.all([
    toAsset(chain, toCanonicalAsset(chain, main.otherAsset), context.reads),
    nameBranches(context, largestOf(unnamed)),
    findPositions(context, [largestSwap]),
  ]);
  const position = positions.has(largestSwap)
    ? { position: { issuer: await nameIssuer(context, main.otherAsset) } }
    : {};
  const output = { asset: main.otherAsset, symbol, decimals, amountRaw: main.otherRaw, usd: null };
  return {
    reason: 'dex_swap',
    address: wallet,
    why: { type: 'swapped', amountRaw: main.amountRaw, output, through: main.largestSwap.through },
    caveats: [],
    output,
    ...position,
    mainTransfer: main.largestSwap,
    timeUnixSeconds: main.firstSwap.blockTime,
    others: branches,
  };
};

/**
 * Payments of the wallet (backward, to it) in an unlisted token, in transactions that others sent. They do not count: the token may log
 * falsely. But an allowance or a smart account may have made them.
 */
const readLeftOut = async (
  { request, direction, asset: { canonicalAsset }, readPage, pages }: FollowContext,
  current: FollowedWallet,
): Promise<readonly WalletDestination[]> => {
  const asked = {
    ...{ chain: request.chain.name, wallet: current.wallet, canonicalAsset, transfersOnly: true },
    ...{ from: beginOf(request, current), limit: pages.firstRows },
  };
  const ask = (ownOnly: boolean): Promise<FlowPage> => readPage(direction.onward, { ...asked, ownOnly });
  const [all, own] = await Promise.all([ask(false), ask(true)]);
  const ownKeys = new Set(own.rows.map(transactionKey));
  const payments = all.rows.flatMap((row) =>
    row.type === 'transfer' && !ownKeys.has(transactionKey(row)) ? [{ ...row, to: row.counterparty }] : [],
  );
  return groupDestinations(payments, direction).filter((destination) => destination.type === 'wallet');
};

const toCaveats = (leftOut: readonly WalletDestination[]): readonly Caveat[] => {
  const to = leftOut.map(({ address }) => address);
  return to.length === 0 ? [] : [{ type: 'left_out', amountRaw: sumOf(leftOut), to }];
};
