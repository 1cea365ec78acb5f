import { believe } from './anchor/find-anchor.ts';
import { chooseMode } from './choose-mode.ts';
import { readOwnNeighbours } from './evidence/read-acquaintances.ts';
import { readSameAsset } from './matches/find-matches.ts';
import type { QueryContext } from './query-context.ts';
import type { Intermediary } from './resolve-intermediary.ts';
import type { TraceRequest } from './trace-answer.ts';
import { chooseWindow } from './window.ts';

/**
 * Asks what the search will ask if the chain agrees with the request, while the chain is asked whether it does: most callers took
 * amount and time from it. The reader remembers the answers; where the request was wrong the search asks its own questions, and these
 * were asked in vain.
 */
export const askAhead = async (
  request: TraceRequest,
  intermediary: Intermediary,
  context: QueryContext,
): Promise<void> => {
  await Promise.all([
    readOwnNeighbours(request.wallet, context),
    context.reader.indexedSpan(context.limits),
    readBelieved(request, intermediary, context),
  ]);
};

const readBelieved = async (
  request: TraceRequest,
  intermediary: Intermediary,
  context: QueryContext,
): Promise<void> => {
  // What the chain has to say is not known yet.
  if (request.missing.length > 0) return;
  const anchor = believe(request, request.coin === 0);
  const [moved, another] = anchor.moved;
  // Which stablecoin it was only the chain knows.
  if (moved === undefined || another !== undefined) return;
  const range = chooseWindow(request, intermediary.kind, anchor.timeUnixSeconds);
  const pool = { address: request.counterparty, moved: [moved], leftOut: [] };
  const found = await chooseMode(pool, { request, intermediary, range, anchor }, context);
  await readSameAsset({ request, anchor, intermediary, found, range }, context);
};
