import type { Address } from '../model/address.ts';
import { toShare } from '../model/amount.ts';
import { NATIVE } from '../model/movement.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { chooseFamily } from './choose-family.ts';
import { decideStep } from './decide-step.ts';
import { describeEnd } from './describe-end.ts';
import { endAtRest, endWithSplit, endWithSwap, type Sums } from './end-trail.ts';
import {
  type BudgetedRead,
  BudgetSpentError,
  createBudgetedRead,
  type FollowDependencies,
} from './follow-reader.ts';
import { gatherOutgoing, PAGE_SIZES, type PageSizes } from './gather-outgoing.ts';
import { groupDestinations, type WalletDestination } from './group-destinations.ts';
import { type Journey, readLabels, type Stand, toAsset } from './journey.ts';
import { TIME_BUDGET_MS } from './rules.ts';
import { signTrail } from './sign-trail.ts';
import { mayLogFalsely } from './take-outgoing.ts';
import type { FollowedAsset, FollowRequest, FoundEnd, FoundHop, FoundTrail, Trail } from './trail.ts';

export type FollowLimits = { readonly budgetMs: number; readonly pages: PageSizes };
const LIMITS: FollowLimits = { budgetMs: TIME_BUDGET_MS, pages: PAGE_SIZES };

type Outcome =
  | { readonly type: 'end'; readonly end: FoundEnd }
  | { readonly type: 'hop'; readonly hop: FoundHop; readonly next: Stand };

/**
 * Follows the main stream of money out of a wallet. Reads one wallet after the other, each once.
 *
 * A wallet that cannot be read ends the trail with `no_data`, and a spent time budget with `max_hops`; on the first
 * wallet, where there is nothing to answer yet, both throw `ReadFailedError`, as an aborted request always does, and as
 * it does where the hashes of the transactions found cannot be read: a hop without its evidence is no answer.
 */
export const follow = async (
  request: FollowRequest,
  dependencies: FollowDependencies,
  limits: FollowLimits = LIMITS,
): Promise<Trail> => {
  const found = await findTrail(request, dependencies, limits);
  return signTrail(found, dependencies);
};

const findTrail = async (
  request: FollowRequest,
  dependencies: FollowDependencies,
  limits: FollowLimits,
): Promise<FoundTrail> => {
  const read = createBudgetedRead(dependencies, limits.budgetMs);
  const asset = await findAsset(request, read).catch(refuseWithoutAnswer);
  const journey: Journey = { request, asset, read, pages: limits.pages };
  const hops: FoundHop[] = [];
  const visited = new Set<Address>([request.start]);
  let stand: Stand = { wallet: request.start, arrivals: null };
  for (;;) {
    const outcome = await takeStep(journey, stand, hops.length);
    if (outcome.type === 'end') return toTrail(journey, hops, outcome.end);
    hops.push(outcome.hop);
    const ended = endAfterHop(journey, outcome.hop, visited);
    if (ended !== null) return toTrail(journey, hops, ended);
    visited.add(outcome.hop.to);
    stand = outcome.next;
  }
};

const toTrail = ({ request, asset }: Journey, hops: readonly FoundHop[], end: FoundEnd): FoundTrail => ({
  chain: request.chain,
  start: request.start,
  asset,
  hops,
  end,
});

const findAsset = async (request: FollowRequest, read: BudgetedRead): Promise<FollowedAsset> => {
  const { chain, start: wallet, sinceUnixSeconds } = request;
  let family = request.family;
  if (family === null) {
    const sent = await read((reader, limits) =>
      reader.familiesSent({ chain: chain.name, wallet, sinceUnixSeconds: sinceUnixSeconds ?? 0, ...limits }),
    );
    family = chooseFamily(chain, sent) ?? NATIVE;
  }
  return toAsset(chain, family, read);
};

/** One wallet, with what to say when it cannot be read. */
const takeStep = async (journey: Journey, stand: Stand, hopsSoFar: number): Promise<Outcome> => {
  try {
    return await readWallet(journey, stand, hopsSoFar);
  } catch (error) {
    if (hopsSoFar === 0) return refuseWithoutAnswer(error);
    const describe = describeEnd(journey.request.chain, journey.asset);
    const { wallet: address } = stand;
    if (error instanceof BudgetSpentError)
      return ended({ reason: 'max_hops', address, detail: describe.timeUsed(address) });
    if (error instanceof ReadFailedError && error.code !== 'aborted')
      return ended({ reason: 'no_data', address, detail: describe.unread(address) });
    throw error;
  }
};

const refuseWithoutAnswer = (error: unknown): never => {
  throw error instanceof BudgetSpentError ? new ReadFailedError('timeout', { cause: error }) : error;
};

const ended = (end: FoundEnd): Outcome => ({ type: 'end', end });

const readWallet = async (journey: Journey, stand: Stand, hopsSoFar: number): Promise<Outcome> => {
  const { request, asset, read, pages } = journey;
  const { chain } = request;
  const { wallet, arrivals } = stand;
  const context = { chain, wallet, family: asset.family, arrivals };
  const ownOnly = mayLogFalsely(chain, asset.family);
  const gathered = await gatherOutgoing(context, {
    sinceUnixSeconds: request.sinceUnixSeconds ?? 0,
    sizes: pages,
    readPage: (from, limit) =>
      read((reader, limits) =>
        reader.departures({
          chain: chain.name,
          wallet,
          family: asset.family,
          ownOnly,
          from,
          limit,
          ...limits,
        }),
      ),
  });
  const destinations = groupDestinations(gathered.outgoing);
  const leftRaw = destinations.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  const arrivedRaw =
    arrivals === null ? leftRaw : arrivals.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  const step = decideStep(arrivedRaw, leftRaw, destinations);
  const sums: Sums = { arrivedRaw, leftRaw, destinations };
  switch (step.type) {
    case 'rest':
      return ended(cutNoted(journey, gathered.cutAfterRows, await endAtRest(journey, stand, sums)));
    case 'split':
      return ended(cutNoted(journey, gathered.cutAfterRows, await endWithSplit(journey, wallet, sums)));
    case 'swap':
      return ended(await endWithSwap(journey, wallet, step.into));
    case 'hop':
      if (hopsSoFar >= request.maxHops) return ended(endWithHopsUsed(journey, wallet));
      return hop(journey, wallet, step.to, arrivedRaw);
  }
};

/** Where reading stopped early, a "most is still there" may be wrong: the answer says so. */
const cutNoted = ({ request, asset }: Journey, cutAfterRows: number | null, end: FoundEnd): FoundEnd =>
  cutAfterRows === null
    ? end
    : { ...end, detail: end.detail + describeEnd(request.chain, asset).cut(cutAfterRows) };

const hop = async (
  journey: Journey,
  from: Address,
  { address, amountRaw, carriers, largest }: WalletDestination,
  arrivedRaw: bigint,
): Promise<Outcome> => {
  const labels = await readLabels(journey, [address]);
  return {
    type: 'hop',
    hop: {
      from,
      to: address,
      amountRaw,
      share: toShare(amountRaw, arrivedRaw),
      signature: largest,
      timeUnixSeconds: largest.blockTime,
      toLabel: labels.get(address) ?? null,
    },
    next: { wallet: address, arrivals: carriers },
  };
};

const endAfterHop = (
  { request, asset }: Journey,
  { to, toLabel }: FoundHop,
  visited: ReadonlySet<Address>,
): FoundEnd | null => {
  const describe = describeEnd(request.chain, asset);
  const kind = toLabel?.kind;
  if (toLabel !== null && (kind === 'exchange' || kind === 'bridge' || kind === 'mixer'))
    return { reason: kind, address: to, detail: describe.labelled(toLabel) };
  return visited.has(to) ? { reason: 'loop', address: to, detail: describe.looped(to) } : null;
};

const endWithHopsUsed = ({ request, asset }: Journey, address: Address): FoundEnd => ({
  reason: 'max_hops',
  address,
  detail: describeEnd(request.chain, asset).hopsUsed(request.maxHops),
});
