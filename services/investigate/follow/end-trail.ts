import type { Address } from '../model/address.ts';
import { largestFirst, sumOf } from '../model/amount.ts';
import { type FlowPage, transactionKey, type UnbrokenSpan } from '../model/transfer-reader.ts';
import { isMain } from './decide-step.ts';
import type { Journey, Stand } from './journey.ts';
import type { Knowledge } from './know-wallet.ts';
import { nameBranches, toBranches, toOutput, toSwapBranch } from './name-branches.ts';
import { type Destination, groupDestinations, type SwapDestination } from './payments/group-destinations.ts';
import { mayLogFalsely } from './payments/take-outgoing.ts';
import { BRANCHES_MAX, MAJORITY_PARTS, MOVED_ON_MIN_PARTS, OTHERS_MAX, PARTS } from './rules.ts';
import type { FoundEnd } from './trail.ts';
import type { Caveat, Rested, Why } from './why.ts';

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
  if (backward ? known.ever === 'unread' : known.onward === 'unread') return endUnindexed(wallet);
  const span = await journey.span;
  if (wallet === start && sums.leftRaw === 0n) {
    const isKnown = await read((reader, limits) => reader.isKnown({ chain: chain.name, wallet, ...limits }));
    if (!isKnown) return endWithoutRows(wallet, { type: span === null ? 'chain_unread' : 'unknown' });
  }
  if (!backward && span !== null && hasJustArrived(arrivals, span))
    return {
      ...endWithoutRows(wallet, { type: 'just_arrived', arrivedRaw: sums.arrivedRaw }),
      because: 'new',
    };
  const isOwnOnly = mayLogFalsely(chain, asset.family);
  const isPart = !backward && known.onward === 'part';
  // What a source holds now, or destroyed, says nothing of where its money came from.
  const canTell = known.ever === 'whole' && !backward && !isOwnOnly && !isPart;
  const sinceUnixSeconds = arrivals?.[0]?.blockTime ?? atUnixSeconds ?? 0;
  const [leftOut, holdingRaw, burntRaw] = await Promise.all([
    isOwnOnly && !backward ? readLeftOut(journey, wallet, sinceUnixSeconds) : [],
    canTell ? readHolding(journey, wallet) : null,
    backward ? 0n : readBurnt(journey, wallet, sinceUnixSeconds),
  ]);
  const beside = [...toBranches(chain, wallet, sums.destinations), ...toBranches(chain, wallet, leftOut)];
  const others = await nameBranches(journey, beside.sort(largestFirst).slice(0, OTHERS_MAX));
  const isTold = arrivals?.[0]?.isTold ?? false;
  const why = whyAtRest({ ...sums, burntRaw, isTold });
  const leftOutRaw = sumOf(leftOut);
  const caveats: readonly Caveat[] = leftOut.length === 0 ? [] : [toCaveat(leftOut)];
  const mayHaveLeft = leftOutRaw > 0n && leftOutRaw * PARTS >= sums.arrivedRaw * MOVED_ON_MIN_PARTS;
  if (isPart) return { ...endWithoutRows(wallet, why, [...caveats, { type: 'known_in_part' }]), others };
  return mayHaveLeft
    ? { ...endWithoutRows(wallet, why, caveats), because: 'left_out', others }
    : { reason: 'at_rest', address: wallet, why, caveats, holdingRaw, others };
};

/** Most of it with the newest block: nothing that followed can be known. */
const hasJustArrived = (arrivals: Stand['arrivals'], { toBlock }: UnbrokenSpan): boolean => {
  const fresh = arrivals?.filter(({ blockNumber }) => blockNumber >= toBlock) ?? [];
  return fresh.length > 0 && sumOf(fresh) * PARTS >= sumOf(arrivals ?? []) * MAJORITY_PARTS;
};

/** Whom others' transactions say that the wallet paid: an allowance, a smart account, or a token that lies. */
const readLeftOut = async (
  { request: { chain }, asset: { family }, read, pages }: Journey,
  wallet: Address,
  sinceUnixSeconds: number,
): Promise<readonly Destination[]> => {
  const from = { blockTime: sinceUnixSeconds, blockNumber: 0, txIndex: 0, step: 0 };
  const ask = (ownOnly: boolean): Promise<FlowPage> =>
    read((reader, limits) =>
      reader.departures({
        ...{ chain: chain.name, wallet, family, from, ownOnly, transfersOnly: true },
        ...{ limit: pages.firstRows, ...limits },
      }),
    );
  const [all, own] = await Promise.all([ask(false), ask(true)]);
  const ownKeys = new Set(own.rows.map(transactionKey));
  const payments = all.rows.flatMap((row) =>
    row.type === 'transfer' && !ownKeys.has(transactionKey(row)) ? [{ ...row, to: row.counterparty }] : [],
  );
  return groupDestinations(payments, false);
};

const toCaveat = (leftOut: readonly Destination[]): Caveat => ({
  type: 'left_out',
  amountRaw: sumOf(leftOut),
  to: leftOut.flatMap((destination) => (destination.type === 'wallet' ? [destination.address] : [])),
});

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
export const endUnindexed = (address: Address): FoundEnd => ({
  reason: 'no_data',
  because: 'unread',
  address,
  why: { type: 'unindexed' },
  caveats: [],
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

/** null where no row names the wallet, and where rows give less than nothing: then some are missing after all. */
const readHolding = async ({ request, asset, read }: Journey, wallet: Address): Promise<bigint | null> => {
  const balanceRaw = await read((reader, limits) =>
    reader.balance({ chain: request.chain.name, wallet, family: asset.family, ...limits }),
  );
  return balanceRaw === null || balanceRaw < 0n ? null : balanceRaw;
};

const whyAtRest = ({ destinations, ...sums }: Sums & Rested): Why => {
  if (sums.leftRaw === 0n) return { type: 'nothing_left', burntRaw: sums.burntRaw };
  const hasMain = destinations.some((destination) => isMain(destination, sums.leftRaw));
  return { type: hasMain ? 'rests' : 'scattered', ...sums };
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
    why: { type: 'split', destinations: destinations.length, largestRaw, leftRaw },
    caveats: [],
    branches,
  };
};

export const endWithSwap = async (
  journey: Journey,
  wallet: Address,
  { into, others }: { readonly into: SwapDestination; readonly others: readonly Destination[] },
): Promise<FoundEnd> => {
  const { request } = journey;
  const { main, besides } = into;
  const unnamed = [
    ...besides.map((stream) => toSwapBranch(request.chain, wallet, stream)),
    ...toBranches(request.chain, wallet, others),
  ].sort(largestFirst);
  const [output, branches] = await Promise.all([
    toOutput(journey, main),
    nameBranches(journey, unnamed.slice(0, OTHERS_MAX)),
  ]);
  return {
    reason: 'dex_swap',
    address: wallet,
    why: { type: 'swapped', amountRaw: main.amountRaw, output, through: main.largestSwap.through },
    caveats: [],
    output,
    signature: main.largestSwap,
    timeUnixSeconds: main.firstSwap.blockTime,
    others: branches,
  };
};
