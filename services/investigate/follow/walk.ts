import type { Address } from '../model/address.ts';
import { passingKind } from '../model/label.ts';
import { transactionKey } from '../model/transfer-reader.ts';
import { refuseWithoutAnswer, unlessSpent } from '../session/left-out.ts';
import { arrive } from './arrive.ts';
import { type Ended, endUnread, endWith, type Outcome, resolveHop } from './decide-hop.ts';
import { endAtPool } from './end-trail.ts';
import { findPools } from './find-pools.ts';
import type { FollowContext, FollowedWallet } from './follow-context.ts';
import type { Refunded } from './inner/refunds.ts';
import {
  type Corrected,
  createFindSwapped,
  type FindSwapped,
  firstOf,
  takeStep,
} from './reading/take-step.ts';
import { HASHES_RESERVE_MS } from './rules.ts';
import { findSale, type Sale } from './sales/find-sale.ts';
import type { FollowRequest, FoundEnd, FoundHop } from './trail.ts';
import { addCaveats } from './why.ts';

export type Path = {
  readonly hops: readonly FoundHop[];
  /** The hop to whom the money was sold, where the trail ends so. */
  readonly sold: FoundHop | null;
  readonly end: FoundEnd;
  readonly isComplete: boolean;
};

/** Hops and the decisions that they follow from, as far as the trail was walked. */
type WalkState = {
  current: FollowedWallet;
  /** The swaps of wallets that seem just to pass the money on are read afterwards, many at once. */
  isQuick: boolean;
  /** Whether `current` is a contract that many others pay: null at the start, which was asked for. */
  pooled: { readonly wallet: Address; readonly asked: Promise<boolean> } | null;
  /** An earlier decision was withdrawn. */
  isRetry: boolean;
  readonly hops: FoundHop[];
  readonly steps: Outcome[];
};

/**
 * From wallet to wallet, each once. A wallet that turns out to have swapped is decided again, and from there on every wallet is read
 * with its swaps. Backward that is so from the beginning: there, one question about the swaps of many finds no more.
 */
export const walk = async (context: FollowContext, start: FollowedWallet): Promise<Path> => {
  const isQuick = !context.request.backward;
  const state: WalkState = { current: start, isQuick, pooled: null, isRetry: false, hops: [], steps: [] };
  const findSwapped = createFindSwapped(context);
  for (;;) {
    const reached = await walkOn(context, state, findSwapped);
    const path = reached.type === 'end' ? await endPath(context, state, findSwapped, reached) : reached;
    if (!('type' in path)) return path;
    if (path.type === 'sold') return endSold(state, path);
    const step = state.steps[path.at];
    if (step?.type === 'hop') goBack(state, path.at, step.current);
    state.isQuick = false;
    state.isRetry = true;
  }
};

/** Until the trail ends or an earlier decision must be withdrawn. */
const walkOn = async (
  context: FollowContext,
  state: WalkState,
  findSwapped: FindSwapped,
): Promise<Ended | Corrected> => {
  const { request } = context;
  const { hops, steps } = state;
  const take = (arriving: Promise<Ended | null>): Promise<Outcome | Corrected> => {
    const { isRetry, isQuick, current } = state;
    const visited = visitedBy(request, hops);
    return takeStep(context, current, {
      ...{ steps, hops, visited, isRetry, arriving },
      findSwapped: isQuick ? findSwapped : null,
    });
  };
  let reading = take(NOT_ENDED);
  for (;;) {
    const read = await reading;
    if (read.type === 'swapped' || read.type === 'sold') return read;
    const through = await lookBack(context, state, read);
    if (goBackToRefunded(through, state)) {
      reading = take(NOT_ENDED);
      continue;
    }
    const outcome = await endInPool(state, through);
    steps.push(outcome);
    const sale = endAtDex(hops.at(-1));
    if (sale !== null) return sale;
    if (outcome.type === 'end') return outcome;
    if (hops.length >= request.maxHops) return endWithHopsUsed(context, state.current.wallet);
    const { hop, next } = outcome;
    const visited = visitedBy(request, hops);
    const place = { wallet: hop.from, isFirst: hops.length === 0, isRetry: state.isRetry };
    const arriving = arrive(context, hop, hops, place);
    state.current = next;
    // Most recipients have no label, so the next wallet is read while its label is looked up.
    const loop = { reason: 'loop', address: hop.to, why: { type: 'looped' }, caveats: [] } as const;
    reading = visited.has(hop.to) ? Promise.resolve(endWith(loop)) : take(arriving);
    reading.catch(() => undefined);
    const end = await arriving;
    if (end !== null) return end;
    const { toLabel: label } = hops.at(-1) ?? { toLabel: null };
    const asked = findPools(context, [{ address: next.wallet, label, lots: next.stake.lots }]);
    state.pooled = { wallet: next.wallet, asked: asked.then((pools) => pools.has(next.wallet)) };
    state.pooled.asked.catch(() => undefined);
  }
};

/** What a contract that many others pay did with the money later, it did with anybody's. What it passed on at once was looked at before. */
const endInPool = async ({ pooled, current, isRetry }: WalkState, outcome: Outcome): Promise<Outcome> => {
  const isStay = outcome.type === 'hop' || outcome.end.reason === 'at_rest' || outcome.end.reason === 'split';
  if (pooled?.wallet !== current.wallet || !isStay) return outcome;
  const place = { wallet: current.wallet, isFirst: false, isRetry };
  const isPool = await pooled.asked.catch((error: unknown) => endUnread(place, error));
  if (typeof isPool !== 'boolean') return isPool;
  return isPool ? endWith(endAtPool(current.wallet), outcome.isComplete) : outcome;
};

const NOT_ENDED = Promise.resolve(null);

const visitedBy = ({ start }: FollowRequest, hops: readonly FoundHop[]): ReadonlySet<Address> =>
  new Set([start, ...hops.map(({ to }) => to)]);

/** A wallet that paid on at once what it got may be a contract: the hop to it leads to whom it paid. */
const lookBack = async (context: FollowContext, state: WalkState, after: Outcome): Promise<Outcome> => {
  const { hops, steps } = state;
  const before = steps.at(-1);
  const visited = visitedBy(context.request, hops.slice(0, -1));
  const cycleLots = after.type === 'hop' && visited.has(after.hop.to) ? after.next.stake.lots : [];
  const cyclic = new Set(cycleLots.map(transactionKey));
  if (before?.type !== 'hop' || !after.paysAtOnce || (before.isResolved && cyclic.size === 0)) return after;
  const place = { wallet: before.current.wallet, isFirst: steps.length === 1, isRetry: true };
  const resolved = await resolveHop(context, before, { after, visited, cyclic }).catch((error: unknown) =>
    endUnread(place, error),
  );
  if (resolved === null) return after;
  if (!('type' in resolved)) return { ...after, refunded: after.refunded.union(resolved.refunded) };
  if (before.isResolved) return after;
  goBack(state, steps.length - 1, before.current);
  return { ...resolved, refunded: after.refunded };
};

/** Goes back to the first wallet that turned out to have got a refund. */
const goBackToRefunded = ({ refunded }: Refunded, state: WalkState): boolean => {
  const at = state.steps.findIndex((step) => step.type === 'hop' && refunded.has(step.hop.from));
  const first = state.steps[at];
  const isAgain = first !== undefined || refunded.has(state.current.wallet);
  if (first?.type === 'hop') goBack(state, at, first.current);
  state.isRetry ||= isAgain;
  return isAgain;
};

const goBack = (state: WalkState, steps: number, current: FollowedWallet): void => {
  state.current = current;
  state.hops.length = steps;
  state.steps.length = steps;
};

/** Checks for sales and swaps that were not asked for on the way. Without transactions there is no answer; without swaps it is in doubt. */
const endPath = async (
  context: FollowContext,
  { hops, steps }: WalkState,
  findSwapped: FindSwapped,
  { end, isComplete }: Ended,
): Promise<Path | Corrected> => {
  const { details, keeping } = context;
  details.begin(hops);
  const sale = findSale(context, hops, keeping(0));
  sale.catch(() => undefined);
  const swapped = await unlessSpent(findSwapped(steps, keeping(HASHES_RESERVE_MS)), undefined);
  const corrected = firstOf(hops, swapped ?? null, await sale.catch(refuseWithoutAnswer));
  if (corrected !== null) return corrected;
  const path = { hops, sold: null };
  return swapped === undefined
    ? { ...path, end: addCaveats(end, [{ type: 'swaps_unread' }]), isComplete }
    : { ...path, end, isComplete: isComplete && steps.every((step) => step.isComplete) };
};

const endSold = ({ hops, steps }: WalkState, { hop, end }: Sale): Path => {
  const at = hops.indexOf(hop);
  const isComplete = steps.slice(0, at + 1).every((step) => step.isComplete);
  return { hops: hops.slice(0, at), sold: hop, end, isComplete };
};

/** The last hop led to a place where assets are swapped: what leaves it in later transactions is another customer's. */
const endAtDex = (into: FoundHop | undefined): Ended | null => {
  if (!into?.toLabel || passingKind(into.toLabel) !== 'dex') return null;
  const { to: address, mainTransfer, sinceUnixSeconds: timeUnixSeconds } = into;
  const told = { why: { type: 'sold_unseen' }, caveats: [] } as const;
  return endWith({ reason: 'dex_swap', address, ...told, output: null, mainTransfer, timeUnixSeconds });
};

const endWithHopsUsed = ({ request: { maxHops: hops } }: FollowContext, address: Address): Ended =>
  endWith({ reason: 'max_hops', address, why: { type: 'hops_used', hops }, caveats: [] });
