import type { Address } from '../model/address.ts';
import { ReadFailedError } from '../model/transfer-reader.ts';
import { findAsset } from './begin-journey.ts';
import { describeEnd } from './describe-end.ts';
import { findArrivals } from './find-arrivals.ts';
import { BudgetSpentError, createBudgetedRead, type FollowDependencies } from './follow-reader.ts';
import { PAGE_SIZES, type PageSizes } from './gather-outgoing.ts';
import { joinHops, passesOn } from './join-hops.ts';
import { type Journey, readLabels, type Stand } from './journey.ts';
import { type Outcome, readWallet, type UnlabelledHop } from './read-wallet.ts';
import { SIGNING_RESERVE_MS, TIME_BUDGET_MS } from './rules.ts';
import { signTrail } from './sign-trail.ts';
import type { FollowRequest, FoundEnd, FoundHop, FoundTrail, Trail } from './trail.ts';

export type FollowLimits = { readonly budgetMs: number; readonly pages: PageSizes };
const LIMITS: FollowLimits = { budgetMs: TIME_BUDGET_MS, pages: PAGE_SIZES };

/**
 * Follows the main stream of money out of a wallet, or backward to where it came from. Reads one wallet after the other,
 * each once.
 *
 * A wallet that cannot be read ends the trail with `no_data`, and a spent time budget with `max_hops`; on the first
 * wallet, where there is nothing to answer yet, both throw `ReadFailedError`, as an aborted request always does, and as
 * it does where the hashes of the transactions found cannot be read: a hop without its evidence is no answer.
 */
export const follow = async (
  request: FollowRequest,
  dependencies: FollowDependencies,
  { budgetMs, pages }: FollowLimits = LIMITS,
): Promise<Trail> => {
  const endUnixMs = dependencies.clock.nowUnixMs() + budgetMs;
  const read = createBudgetedRead(dependencies, endUnixMs - SIGNING_RESERVE_MS);
  const asset = await findAsset(request, read).catch(refuseWithoutAnswer);
  const found = await findTrail({ request, asset, read, pages });
  return signTrail(found, createBudgetedRead(dependencies, endUnixMs)).catch(refuseWithoutAnswer);
};

const refuseWithoutAnswer = (error: unknown): never => {
  throw error instanceof BudgetSpentError ? new ReadFailedError('timeout', { cause: error }) : error;
};

const findTrail = async (journey: Journey): Promise<FoundTrail> => {
  const { request, asset } = journey;
  const hops: FoundHop[] = [];
  const visited = new Set<Address>([request.start]);
  const toTrail = (end: FoundEnd): FoundTrail => ({
    ...{ chain: request.chain, start: request.start, backward: request.backward },
    ...{ asset, hops, end },
  });
  const arrivals = await findArrivals(journey).catch(refuseWithoutAnswer);
  if (arrivals?.length === 0) return toTrail(endWithoutStart(journey));
  let stand: Stand = { wallet: request.start, arrivals };
  let reading = takeStep(journey, stand, 0);
  for (;;) {
    const outcome = await reading;
    if (outcome.type === 'end') return toTrail(outcome.end);
    const { hop, next } = outcome;
    const contract = passesOn(stand, next) ? hops.at(-1) : undefined;
    if (contract === undefined && hops.length >= request.maxHops)
      return toTrail(endWithHopsUsed(journey, stand.wallet));
    // A contract may be passed through twice.
    if (contract !== undefined) visited.delete(stand.wallet);
    const isLoop = visited.has(hop.to);
    // Most hops lead to a wallet nobody knows: it is read while its label is looked up.
    const ahead = isLoop ? null : takeStep(journey, next, hops.length + 1);
    ahead?.catch(() => undefined);
    const labelled = await labelHop(journey, stand, hop, hops.length);
    if (labelled.type === 'end') return toTrail(labelled.end);
    if (contract === undefined) hops.push(labelled.hop);
    else hops.splice(-1, 1, joinHops(contract, labelled.hop));
    const end = endAtService(journey, labelled.hop);
    if (end !== null) return toTrail(end);
    if (ahead === null) return toTrail(endWithLoop(journey, hop.to));
    visited.add(hop.to);
    stand = next;
    reading = ahead;
  }
};

/** One wallet, with what to say when it cannot be read. */
const takeStep = async (journey: Journey, stand: Stand, hopsSoFar: number): Promise<Outcome> => {
  try {
    return await readWallet(journey, stand);
  } catch (error) {
    return endUnread(journey, stand.wallet, hopsSoFar, error);
  }
};

type Labelled =
  | { readonly type: 'end'; readonly end: FoundEnd }
  | { readonly type: 'hop'; readonly hop: FoundHop };

const labelHop = async (
  journey: Journey,
  { wallet }: Stand,
  hop: UnlabelledHop,
  hopsSoFar: number,
): Promise<Labelled> => {
  try {
    const labels = await readLabels(journey, [hop.to, ...hop.others.map(({ to }) => to)]);
    const toLabel = labels.get(hop.to) ?? null;
    const others = hop.others.map((other) => ({ ...other, toLabel: labels.get(other.to) ?? null }));
    return { type: 'hop', hop: { ...hop, toLabel, others } };
  } catch (error) {
    return endUnread(journey, wallet, hopsSoFar, error);
  }
};

const endUnread = (
  { request, asset }: Journey,
  address: Address,
  hopsSoFar: number,
  error: unknown,
): { readonly type: 'end'; readonly end: FoundEnd } => {
  if (hopsSoFar === 0) return refuseWithoutAnswer(error);
  const describe = describeEnd(request, asset);
  if (error instanceof BudgetSpentError)
    return { type: 'end', end: { reason: 'max_hops', address, detail: describe.timeUsed(address) } };
  if (error instanceof ReadFailedError && error.code !== 'aborted')
    return { type: 'end', end: { reason: 'no_data', address, detail: describe.unread(address) } };
  throw error;
};

const endAtService = ({ request, asset }: Journey, { to, toLabel }: FoundHop): FoundEnd | null => {
  const kind = toLabel?.kind;
  return toLabel !== null && (kind === 'exchange' || kind === 'bridge' || kind === 'mixer')
    ? { reason: kind, address: to, detail: describeEnd(request, asset).labelled(toLabel) }
    : null;
};

const endWithHopsUsed = ({ request, asset }: Journey, address: Address): FoundEnd => ({
  reason: 'max_hops',
  address,
  detail: describeEnd(request, asset).hopsUsed(request.maxHops),
});

const endWithLoop = ({ request, asset }: Journey, address: Address): FoundEnd => ({
  reason: 'loop',
  address,
  detail: describeEnd(request, asset).looped(address),
});

const endWithoutStart = ({ request, asset }: Journey): FoundEnd => ({
  reason: 'no_data',
  address: request.start,
  detail: describeEnd(request, asset).unpaid(request.start, request.counterparty ?? ''),
});
