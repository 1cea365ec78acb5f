import { least, sumOf } from '../model/amount.ts';
import { passingKind } from '../model/label.ts';
import { keepAhead } from '../session/flow-pages.ts';
import { refuseWithoutAnswer, unlessLeftOut } from '../session/left-out.ts';
import { attachDetails } from './details/attach-details.ts';
import { createDetailsReader, limitOthers } from './details/read-details.ts';
import { directionOf } from './direction.ts';
import { endUnindexed } from './end-trail.ts';
import { findAsset } from './find-asset.ts';
import { type FollowContext, readLabels, readSpan } from './follow-context.ts';
import { type FollowDependencies, openFollow } from './follow-reader.ts';
import { noRefunds } from './inner/refunds.ts';
import { findArrivals } from './payments/find-arrivals.ts';
import { EVERYTHING } from './payments/inflow.ts';
import { PAGE_SIZES, type PageSizes, TIME_BUDGET_MS } from './rules.ts';
import type { FollowRequest, FoundEnd, FoundTrail, Trail } from './trail.ts';
import { type Path, walk } from './walk.ts';
import { walletCoverage } from './wallet-coverage.ts';
import { addCaveats } from './why.ts';

export type FollowLimits = { readonly budgetMs: number; readonly pages: PageSizes };
export const FOLLOW_LIMITS: FollowLimits = { budgetMs: TIME_BUDGET_MS, pages: PAGE_SIZES };

/**
 * Follows the main stream of money out of a wallet, or backward to where it came from. Reads one wallet after the other,
 * each once.
 *
 * A wallet that cannot be read ends the trail with `no_data`, and a spent time budget with `max_hops`; on the first
 * wallet, where there is nothing to answer yet, both throw `ReadFailedError`, as an aborted request always does, and as
 * it does where the hashes of the transactions found cannot be read: a hop without its details is no answer. Time that is
 * spent when the first wallet has to be read again is no failure.
 */
export const follow = async (
  request: FollowRequest,
  dependencies: FollowDependencies,
  { budgetMs, pages }: FollowLimits = FOLLOW_LIMITS,
): Promise<Trail> => {
  const { reads, keeping } = openFollow(dependencies, { ms: budgetMs });
  const span = readSpan(request.chain, reads);
  // The awaiting caller handles the rejection.
  span.catch(() => undefined);
  const asset = await findAsset(request, reads).catch(refuseWithoutAnswer);
  const { backfills } = dependencies;
  const details = createDetailsReader({ chain: request.chain, asset }, reads);
  const direction = directionOf(request.backward);
  const shared = { request, direction, asset, reads, keeping, pages, backfills, span, details };
  const found = await findTrail({ ...shared, readPage: keepAhead(reads), refunds: noRefunds() });
  return attachDetails(found, details, keeping(0)).catch(refuseWithoutAnswer);
};

const findTrail = async (context: FollowContext): Promise<FoundTrail> => {
  const { request, asset } = context;
  const { chain, start, backward } = request;
  const naming = readLabels(context, [start]);
  // The trail stands without this label. If reading fails, the walk reports it.
  naming.catch(() => undefined);
  const { hops, end, ...path } = await findPath(context);
  const span = await context.span.catch(refuseWithoutAnswer);
  const startLabel = (await unlessLeftOut(naming, null))?.get(start) ?? null;
  const isOthersMoney = startLabel !== null && passingKind(startLabel) !== null;
  return {
    ...{ chain, start, startLabel, backward, asset, ...path, hops: limitOthers(hops), span },
    end: isOthersMoney ? addCaveats(end, [{ type: 'start_is_service', label: startLabel, start }]) : end,
  };
};

const findPath = async (context: FollowContext): Promise<Path & Pick<FoundTrail, 'came' | 'cuts'>> => {
  const { start: wallet, tracedRaw } = context.request;
  const { stake, cuts } = await findArrivals(context).catch(refuseWithoutAnswer);
  if (stake.source === 'chain' && stake.lots.length === 0) {
    return { hops: [], sold: null, end: await endUnpaid(context), isComplete: false, came: null, cuts };
  }
  const path = await walk(context, { wallet, stake });
  if (stake.source === 'unknown') return { ...path, came: null, cuts };
  const arrivedRaw = sumOf(stake.lots);
  return { ...path, came: { arrivedRaw, tracedRaw: least(tracedRaw ?? arrivedRaw, arrivedRaw) }, cuts };
};

/** If the start wallet's history is still unread, the payment may be in it. */
const endUnpaid = async (context: FollowContext): Promise<FoundEnd> => {
  const { start: address, counterparty } = context.request;
  const { sinceInflow } = await walletCoverage(context, { wallet: address, stake: EVERYTHING }, []);
  if (sinceInflow === 'unread') return endUnindexed(address);
  const why = { type: 'unpaid', counterparty: counterparty ?? '' } as const;
  return { reason: 'no_data', because: 'unpaid', address, why, caveats: [] };
};
