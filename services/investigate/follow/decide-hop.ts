import type { Address } from '../model/address.ts';
import { sumOf, toShare } from '../model/amount.ts';
import { type FlowPage, transactionKey, type WalletSpan } from '../model/transfer-reader.ts';
import { BudgetSpentError, isUnread, refuseWithoutAnswer } from '../session/left-out.ts';
import { endAtRest, endUnindexed, endWithSplit, endWithSwap, type Sums } from './end-trail.ts';
import type { FollowContext, FollowedWallet } from './follow-context.ts';
import { NOT_REFUNDED, type Refunded } from './inner/refunds.ts';
import { type Left, type Resolved, resolvePayments } from './inner/resolve-payments.ts';
import { toBranches, type UnnamedBranch } from './name-branches.ts';
import { type Gathered, type GatheredAll, gatherOutflows } from './payments/gather-outflows.ts';
import {
  type Destination,
  groupDestinationsInTurns,
  isMain,
  type SwapDestination,
  type WalletDestination,
} from './payments/group-destinations.ts';
import { type Outflow, paidIn } from './payments/inflow.ts';
import type { Position } from './positions/position.ts';
import { takeBack } from './positions/take-back.ts';
import { MOVED_ON_MIN_PARTS, PARTS, SPLIT_MIN_PARTS } from './rules.ts';
import { findSales } from './sales/find-sale.ts';
import type { FoundEnd, FoundHop } from './trail.ts';
import { type WalletCoverage, walletCoverage } from './wallet-coverage.ts';
import { addCaveats, readInPart } from './why.ts';

export type UnlabelledHop = Omit<FoundHop, 'toLabel' | 'others'> & {
  readonly others: readonly UnnamedBranch[];
};

/** What the money did at one wallet. */
type Decided = Refunded & {
  /** Whether all that the wallet did with the money is indexed. */
  readonly isComplete: boolean;
  /** It paid part of the money on within the transactions that brought it, as contracts do. */
  readonly paysAtOnce: boolean;
};
export type Onward = Decided & {
  readonly type: 'hop';
  readonly current: FollowedWallet;
  readonly outflows: readonly Outflow[];
  readonly hop: UnlabelledHop;
  readonly next: FollowedWallet;
  /** Spans in which swaps were not read although a swap would change the outcome; mostly none. */
  readonly swapsUncheckedFor: readonly WalletSpan[];
  /** Its payments were followed through contracts already. */
  readonly isResolved: boolean;
};
export type Ended = Decided & { readonly type: 'end'; readonly end: FoundEnd };
export type Outcome = Ended | Onward;

export const endWith = (end: FoundEnd, isComplete = true): Ended => ({
  ...{ type: 'end', end, isComplete, paysAtOnce: false, ...NOT_REFUNDED },
});

/** Where reading failed. */
export type UnreadPlace = {
  readonly wallet: Address;
  /** Nothing was found before it on the way. */
  readonly isFirst: boolean;
  /** What was found before did not stand. */
  readonly isRetry: boolean;
};

export const endUnread = ({ wallet: address, isFirst, isRetry }: UnreadPlace, error: unknown): Ended => {
  const isSpent = error instanceof BudgetSpentError;
  // A retry has read the first wallet before, so a spent time budget is an answer.
  if (isFirst && !(isRetry && isSpent)) return refuseWithoutAnswer(error);
  if (!isSpent && !isUnread(error)) throw error;
  const told = { address, caveats: [] };
  return endWith(
    isSpent
      ? { ...told, reason: 'max_hops', why: { type: 'time_used' } }
      : { ...told, reason: 'no_data', because: 'failed', why: { type: 'unread' } },
    false,
  );
};

/** What is known before: wallets on the trail, and the first page of what left this one, where that was read. */
type Begun = Pick<Left, 'visited'> & { readonly firstPage?: FlowPage | null };

/** Wallets that these refunds went through, without the one that was decided again. */
export const besides = (wallet: Address, all: readonly Refunded[]): ReadonlySet<Address> =>
  new Set(all.flatMap(({ refunded }) => [...refunded].filter((address) => address !== wallet)));

/** The rules of one hop, in their order. Throws as the context's reads do. */
export const decideHop = async (
  context: FollowContext,
  current: FollowedWallet,
  { firstPage = null, visited }: Begun,
): Promise<Outcome> => {
  const seen = await seeWallet(context, current, firstPage);
  const { known, step, isComplete, paysAtOnce, cuts } = seen;
  if (known.sinceInflow === 'unread') return endWith(endUnindexed(current.wallet, known.rest), false);
  const hop = straightOn(context, current, seen);
  if (hop !== null) return hop;
  const hasNoMain = step.type === 'split' || step.type === 'scattered';
  // Both run at once: most ends without a majority stay ends.
  const [resolved, end] = await Promise.all([
    hasNoMain
      ? resolvePayments(context, { ...current, ...seen, visited, contract: null, cyclic: new Set() })
      : null,
    endHere(context, current, seen),
  ]);
  if (resolved !== null && 'refunded' in resolved) {
    const again = await decideHop(context, current, { firstPage: seen.firstPage, visited });
    return { ...again, refunded: besides(current.wallet, [resolved, again]) };
  }
  if (resolved !== null) return { ...goOn(context, current, seen, resolved), isResolved: true };
  const sold = hasNoMain ? await findSales(context, current.wallet, seen.outflows) : null;
  const ended = addCaveats(sold ?? end, cuts.map(readInPart));
  return { type: 'end', end: ended, isComplete, paysAtOnce, ...NOT_REFUNDED };
};

/** What is known of a wallet, and what that says of the money. */
type Seen = Gathered &
  Sums &
  Omit<Decided, keyof Refunded> & {
    readonly known: WalletCoverage;
    readonly step: Step;
    readonly positions: readonly Position[];
  };

type SeenWhole = GatheredAll & Seen & Pick<FollowedWallet, 'stake'>;

/** The part of what left that is the followed money, grouped by recipient. A deposit that was paid back to the wallet never left it. */
export const seeWallet = async (
  context: FollowContext,
  current: FollowedWallet,
  firstPage: FlowPage | null,
): Promise<SeenWhole> => {
  const gathered = await gatherOutflows(context, current, firstPage);
  const taken = await takeBack(context, current, gathered.outflows);
  if (taken === null) {
    const { stake } = current;
    return { ...gathered, ...(await see(context, current, gathered)), stake };
  }
  const { stake, paidBack, positions } = taken;
  const without = { ...context, refunds: { ...context.refunds, paidBack } };
  const again = await seeWallet(without, { ...current, stake }, gathered.firstPage);
  return { ...again, positions: [...positions, ...again.positions] };
};

export const see = async (
  context: FollowContext,
  current: FollowedWallet,
  { outflows, cuts }: Gathered,
): Promise<Seen> => {
  const { lots, source } = current.stake;
  const known = await walletCoverage(context, current, outflows);
  const destinations = await groupDestinationsInTurns(outflows, context.direction);
  const leftRaw = sumOf(destinations);
  const arrivedRaw = source === 'unknown' ? leftRaw : sumOf(lots);
  const step = classifyOutflows(arrivedRaw, leftRaw, destinations);
  const arrivalKeys = new Set(lots.map(transactionKey));
  const paysAtOnce = outflows.some(
    (paid) => paid.type === 'transfer' && arrivalKeys.has(transactionKey(paid)),
  );
  const isComplete = known.isAllRead;
  const told = { known, destinations, leftRaw, arrivedRaw, step, isComplete, paysAtOnce };
  return { outflows, cuts, ...told, positions: [] };
};

type Others = { readonly others: readonly Destination[] };
export type Step =
  /** `split` and `scattered`: no recipient got most. With `scattered`, more rests than left. */
  | { readonly type: 'rest' | 'scattered' | 'split' }
  | ({ readonly type: 'hop'; readonly to: WalletDestination } & Others)
  | ({ readonly type: 'swap'; readonly into: SwapDestination } & Others);

/** What the main stream did at a wallet. `destinations` are largest first; amounts are raw units. */
export const classifyOutflows = (
  arrivedRaw: bigint,
  leftRaw: bigint,
  destinations: readonly Destination[],
): Step => {
  const [largest, ...others] = destinations;
  if (largest === undefined || leftRaw * PARTS < arrivedRaw * MOVED_ON_MIN_PARTS) return { type: 'rest' };
  if (isMain(largest, leftRaw))
    return largest.type === 'swap'
      ? { type: 'swap', into: largest, others }
      : { type: 'hop', to: largest, others };
  return { type: leftRaw * PARTS >= arrivedRaw * SPLIT_MIN_PARTS ? 'split' : 'scattered' };
};

const endHere = (context: FollowContext, current: FollowedWallet, seen: Seen): Promise<FoundEnd> => {
  const { step } = seen;
  if (step.type === 'split') return endWithSplit(context, current.wallet, seen);
  if (step.type === 'swap') return endWithSwap(context, current.wallet, step);
  return endAtRest(context, current, seen);
};

/** null where no wallet got most. */
export const straightOn = (context: FollowContext, current: FollowedWallet, seen: Seen): Onward | null =>
  seen.step.type === 'hop'
    ? goOn(context, current, seen, { ...seen.step, through: [], otherPayouts: [] })
    : null;

type Moved = Pick<Seen, 'arrivedRaw' | 'outflows' | 'isComplete' | 'paysAtOnce' | 'cuts' | 'positions'>;

const goOn = (
  { request: { chain } }: FollowContext,
  current: FollowedWallet,
  { arrivedRaw, cuts, isComplete, outflows, paysAtOnce, positions }: Moved,
  { to, through, others, otherPayouts }: Resolved,
): Onward => {
  const { amountRaw, carriers, first, largest } = to;
  const from = current.wallet;
  return {
    ...{ type: 'hop', current, outflows, isComplete, paysAtOnce, ...NOT_REFUNDED },
    ...{ swapsUncheckedFor: [], isResolved: false },
    hop: {
      ...{ from, to: to.address, through, cuts, arrivedRaw, share: toShare(amountRaw, arrivedRaw) },
      shareOf: current.stake.source,
      ...{ amountRaw, carriers, mainTransfer: largest, timeUnixSeconds: largest.blockTime },
      sinceUnixSeconds: first.blockTime,
      positions,
      others: [...toBranches(chain, from, others), ...otherPayouts],
    },
    next: { wallet: to.address, stake: paidIn(carriers) },
  };
};

type After = Pick<Left, 'visited' | 'cyclic'> & { readonly after: Outcome };

/**
 * A hop whose recipient paid out within the same transactions leads to whom the recipient paid, through it. `refunded`: some of it came
 * back, and the hop is to be decided again. null: the recipient is a wallet like others.
 */
export const resolveHop = async (
  context: FollowContext,
  { current, hop, outflows, ...before }: Onward,
  { after, visited, cyclic }: After,
): Promise<Onward | Refunded | null> => {
  const left = { ...current, outflows, visited, cyclic };
  const resolved = await resolvePayments(context, { ...left, contract: hop.to });
  if (resolved === null || 'refunded' in resolved) return resolved;
  const onward = after.type === 'hop' ? after : null;
  const cuts = [...hop.cuts, ...(onward?.hop.cuts ?? [])];
  const isComplete = before.isComplete && after.isComplete;
  const { arrivedRaw, positions } = hop;
  const moved = { ...before, outflows, arrivedRaw, cuts, isComplete, positions };
  return {
    ...goOn(context, current, moved, resolved),
    swapsUncheckedFor: [...before.swapsUncheckedFor, ...(onward?.swapsUncheckedFor ?? [])],
    isResolved: true,
  };
};
