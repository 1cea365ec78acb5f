import { systemClock } from '../../platform/clock.ts';
import { stablecoinsOf } from '../model/asset.ts';
import type { Backfills } from '../model/backfills.ts';
import { NATIVE } from '../model/movement.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { TimeRange, TraceReader } from '../model/trace-reader.ts';
import { createReadSession } from '../session/create-read-session.ts';
import { refuseWithoutAnswer } from '../session/left-out.ts';
import { type OpenReads, openReads } from '../session/open-reads.ts';
import { findAnchor, requireAmount } from './anchor/find-anchor.ts';
import { findPool } from './anchor/find-pool.ts';
import { askAhead } from './ask-ahead.ts';
import { chooseMode } from './choose-mode.ts';
import { crowdOf, crowdRead, UNREAD } from './crowd.ts';
import { describeScope } from './describe-scope.ts';
import { describeWindow, readSearched } from './describe-window.ts';
import { dustBelowRaw } from './dust.ts';
import { findCandidates, type Weighing } from './find-candidates.ts';
import { findVia } from './matches/find-via.ts';
import { type QueryContext, type TraceKinds, type TraceReads, traceKinds } from './query-context.ts';
import { readIndexed } from './read-indexed.ts';
import { type Intermediary, resolveIntermediary } from './resolve-intermediary.ts';
import { CANDIDATES_MAX, COMPLETE_TIMEOUT_MS, PREPARE_TIMEOUT_MS } from './rules.ts';
import type { PreparedSearch } from './search.ts';
import { signCandidates } from './sign-candidates.ts';
import type { Crowd, Trace, TraceRequest } from './trace-answer.ts';
import { chooseWindow } from './window.ts';

export type TraceDependencies = {
  readonly reader: TraceReader;
  readonly prices: PriceReader;
  /** What was read from the chain by itself; absent: only indexed blocks count. */
  readonly backfills?: Backfills;
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal;
};

/** Options of a trace that only evaluations and tests set. */
export type TraceOptions = Weighing & {
  readonly candidatesMax?: number;
  /** A window that cannot contain the owner's own transfer. Anything found in it is chance. */
  readonly placeboRange?: TimeRange;
  /** The time limit of each half. */
  readonly timeoutMs?: number;
  readonly backfills?: Backfills;
};

/** What is read already, and being read, for one trace or for many. */
type Reading = {
  readonly open: OpenReads<TraceKinds>;
  /** Sees what this trace is told. */
  readonly note?: (reads: TraceReads) => TraceReads;
  readonly signal: AbortSignal;
};

/** A request that can be traced: the intermediary and the amount are known. */
type PreparedTrace = {
  readonly search: PreparedSearch;
  readonly reading: Reading;
  /** Stops prefetched queries that have not been answered. */
  readonly stop: () => void;
};

/**
 * Finds wallets on the other side of a mixer or exchange that may belong to the same person, best first.
 * Throws `TraceRefusedError` when the request cannot be traced, and `ReadFailedError` when the tables cannot
 * be read in time.
 */
export const trace = async (
  request: TraceRequest,
  dependencies: TraceDependencies,
  options: TraceOptions = {},
): Promise<Trace> => {
  const { backfills } = dependencies;
  const prepared = await prepareTrace(request, dependencies, options);
  return completeTrace(prepared, { ...options, ...(backfills && { backfills }) });
};

/** The same over reads that other traces share. */
export const traceOver = async (
  request: TraceRequest,
  reading: Reading,
  options: TraceOptions,
): Promise<Trace> => completeTrace(await prepareOver(request, reading, options), options);

/** The first half of a trace, which finds out whether there is anything to trace. Throws like `trace`. */
export const prepareTrace = (
  request: TraceRequest,
  { reader, prices, signal }: TraceDependencies,
  options: TraceOptions = {},
): Promise<PreparedTrace> =>
  prepareOver(request, { open: openReads(() => traceKinds(reader, prices)), signal }, options);

const prepareOver = async (
  request: TraceRequest,
  reading: Reading,
  { timeoutMs = PREPARE_TIMEOUT_MS, placeboRange }: TraceOptions,
): Promise<PreparedTrace> => {
  const over = new AbortController();
  const stop = () => over.abort();
  const onIntermediary = (intermediary: Intermediary): void => {
    const signal = AbortSignal.any([reading.signal, over.signal]);
    const context = createQueryContext(request, { ...reading, signal }, COMPLETE_TIMEOUT_MS);
    // The search reports a failure when it uses the result.
    askAhead(request, intermediary, context).catch(() => undefined);
  };
  try {
    const context = createQueryContext(request, reading, timeoutMs);
    const search = await prepareSearch(request, context, { placeboRange, onIntermediary });
    return { search, reading, stop };
  } catch (error) {
    stop();
    return refuseWithoutAnswer(error);
  }
};

const createQueryContext = (
  { chain }: TraceRequest,
  { open, note = (reads) => reads, signal }: Reading,
  timeoutMs: number,
): QueryContext => {
  const canonicalAssets = [NATIVE, ...stablecoinsOf(chain).map(({ asset }) => asset)];
  const budget = { ms: timeoutMs, readMs: timeoutMs };
  const { reads } = createReadSession(open, { clock: systemClock, signal, budget });
  return {
    reads: note(reads),
    onChain: { chain: chain.name },
    canonicalAssets,
    leastRaw: canonicalAssets.map((canonicalAsset) => dustBelowRaw(chain, canonicalAsset)),
  };
};

type Preparing = {
  readonly placeboRange: TimeRange | undefined;
  readonly onIntermediary: (intermediary: Intermediary) => void;
};

const prepareSearch = async (
  request: TraceRequest,
  context: QueryContext,
  { placeboRange, onIntermediary }: Preparing,
): Promise<PreparedSearch> => {
  requireAmount(request);
  const resolving = resolveIntermediary(request.counterparty, context).then((intermediary) => {
    onIntermediary(intermediary);
    return intermediary;
  });
  const [intermediary, anchor] = await bothOrFirstError(resolving, findAnchor(request, context));
  const range = placeboRange ?? chooseWindow(request, intermediary.kind, anchor.timeUnixSeconds);
  const pool = await findPool(request, { intermediary, anchor, range }, context);
  const found = await chooseMode(pool, { request, intermediary, range, anchor }, context);
  const isPlacebo = placeboRange !== undefined;
  return {
    request,
    intermediary,
    found,
    range,
    isPlacebo,
    anchor: {
      ...anchor,
      moved: anchor.moved.filter(
        ({ canonicalAsset }) => (found.canonicalAsset ?? canonicalAsset) === canonicalAsset,
      ),
      leftOut: [...anchor.leftOut, ...pool.leftOut],
    },
    pool: pool.address,
  };
};

/** Runs both queries at once. If both fail, reports the error of the first one, whichever came sooner. */
const bothOrFirstError = async <A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> => {
  second.catch(() => {});
  return [await first, await second];
};

/** The second half: searches, weighs and labels. Throws `ReadFailedError`. */
export const completeTrace = async (
  { search, reading, stop }: PreparedTrace,
  { timeoutMs = COMPLETE_TIMEOUT_MS, ...options }: TraceOptions = {},
): Promise<Trace> => {
  try {
    return await completeSearch(search, createQueryContext(search.request, reading, timeoutMs), options);
  } catch (error) {
    return refuseWithoutAnswer(error);
  } finally {
    stop();
  }
};

const completeSearch = async (
  search: PreparedSearch,
  context: QueryContext,
  options: TraceOptions,
): Promise<Trace> => {
  const { request, anchor, intermediary } = search;
  const { backfills } = options;
  const described = Promise.all([readSearched(search, context), readIndexed(search, context)]);
  // No part of the search waits for it. If both fail, the search's error is reported.
  described.catch(() => undefined);
  const canRead = backfills?.canBackfill(request.chain.name) ?? false;
  const crowd = canRead ? await findCrowd(search, context) : null;
  const read = backfills && crowd ? crowdRead(request.chain, crowd, backfills) : UNREAD;
  const known = await findCandidates(search, context, { ...options, isCrowdRead: read.isOfAll });
  const { found, candidates } = known;
  // A pool that was read in part may have paid others as well.
  const complete = known.complete && read.known !== 'part';
  const shown = candidates.slice(0, options.candidatesMax ?? CANDIDATES_MAX);
  const [wallets, indexed] = await described;
  const window = describeWindow(search, { ...found, complete }, wallets);
  return {
    chain: request.chain,
    entity: intermediary.entity,
    kind: intermediary.kind,
    direction: request.direction === 'out' ? 'forward' : 'backward',
    anchor,
    window,
    anonymitySet: found.matches.length,
    excluded: found.excluded,
    candidates: await signCandidates(
      shown,
      { search, ...known, findVia: () => findVia(search, { ...known, ...found, shown }, context) },
      context,
    ),
    candidatesTotal: candidates.length,
    ...describeScope({
      ...found,
      ...known,
      ...request,
      anchor,
      window,
      indexed,
      intermediary,
      mode: search.found.mode,
      crowd: read.known,
    }),
    crowd,
  };
};

/** null where all blocks of the window are indexed. */
const findCrowd = async (search: PreparedSearch, context: QueryContext): Promise<Crowd | null> => {
  const [wallets, indexed] = await Promise.all([readSearched(search, context), readIndexed(search, context)]);
  const since = indexed.span?.contiguousSinceUnixSeconds ?? Number.POSITIVE_INFINITY;
  return since <= search.range.fromUnixSeconds ? null : crowdOf(search, wallets);
};
