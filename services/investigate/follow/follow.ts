import { attachDetails } from './details/attach-details.ts';
import { createDetailsReader } from './details/read-details.ts';
import { directionOf } from './direction.ts';
import { findAsset } from './find-asset.ts';
import { findTrail } from './find-trail.ts';
import {
  createBudgetedRead,
  type FollowDependencies,
  keeping,
  refuseWithoutAnswer,
} from './follow-reader.ts';
import { noRefunds } from './inner/refunds.ts';
import { PAGE_SIZES, type PageSizes } from './payments/read-pages.ts';
import { readAhead } from './reading/read-ahead.ts';
import { SIGNING_RESERVE_MS, TIME_BUDGET_MS } from './rules.ts';
import type { FollowRequest, Trail } from './trail.ts';

export type FollowLimits = { readonly budgetMs: number; readonly pages: PageSizes };
const LIMITS: FollowLimits = { budgetMs: TIME_BUDGET_MS, pages: PAGE_SIZES };

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
  { reader, ...others }: FollowDependencies,
  { budgetMs, pages }: FollowLimits = LIMITS,
): Promise<Trail> => {
  const dependencies = { ...others, reader: readAhead(reader) };
  const endUnixMs = dependencies.clock.nowUnixMs() + budgetMs;
  const read = createBudgetedRead(dependencies, endUnixMs, SIGNING_RESERVE_MS);
  const span = read((reader, limits) => reader.contiguousRange({ chain: request.chain.name, ...limits }));
  // Who waits for it hears of its failure.
  span.catch(() => undefined);
  const asset = await findAsset(request, read).catch(refuseWithoutAnswer);
  const { backfills } = dependencies;
  const details = createDetailsReader({ chain: request.chain, asset }, read);
  const context = {
    request,
    direction: directionOf(request.backward),
    asset,
    read,
    pages,
    backfills,
    span,
    details,
    refunds: noRefunds(),
  };
  const found = await findTrail(context);
  return attachDetails(found, details, keeping(read, 0)).catch(refuseWithoutAnswer);
};
