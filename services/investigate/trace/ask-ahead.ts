import { believe } from './anchor/find-anchor.ts';
import { chooseMode } from './choose-mode.ts';
import { readOwnNeighbours } from './evidence/read-counterparties.ts';
import { readSameAsset } from './matches/find-matches.ts';
import type { QueryContext } from './query-context.ts';
import type { Intermediary } from './resolve-intermediary.ts';
import type { TraceRequest } from './trace-answer.ts';
import { chooseWindow } from './window.ts';

/**
 * Prefetches what the search will need if the request is right, while the anchor is still being looked up.
 * Most callers took amount and time from the chain. The reader caches the answers. When the request was
 * wrong, the search runs its own queries and the prefetch was wasted.
 */
export const askAhead = async (
  request: TraceRequest,
  intermediary: Intermediary,
  context: QueryContext,
): Promise<void> => {
  await Promise.all([
    readOwnNeighbours(request.wallet, context),
    context.reads.indexedSpan({}, [context.onChain.chain]),
    readBelieved(request, intermediary, context),
  ]);
};

const readBelieved = async (
  request: TraceRequest,
  intermediary: Intermediary,
  context: QueryContext,
): Promise<void> => {
  // The transaction has not been read yet.
  if (request.missing.length > 0) return;
  const anchor = believe(request, request.coin === 0);
  const [moved, another] = anchor.moved;
  // Only the chain says which stablecoin it was.
  if (moved === undefined || another !== undefined) return;
  const range = chooseWindow(request, intermediary.kind, anchor.timeUnixSeconds);
  const pool = { address: request.counterparty, moved: [moved], leftOut: [] };
  const found = await chooseMode(pool, { request, intermediary, range, anchor }, context);
  await readSameAsset({ request, anchor, intermediary, found, range }, context);
};
