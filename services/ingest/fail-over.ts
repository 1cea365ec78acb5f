import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockSource, FetchResult } from './block-source.ts';
import { type RetryLimits, retryTransient, SourceError } from './source-error.ts';

export type FailOverEvents = {
  /** An endpoint, by its place in the configuration, is left alone for a while; asking goes on at the next. */
  rested(at: { endpoint: number; error: SourceError; restMs: number }): void;
};

type Endpoint = {
  readonly source: BlockSource;
  readonly place: number;
  failures: number;
  restUntilMs: number;
};

const REST_MS = { first: 250, longest: 60_000 };
/** A head that no longer moves on one endpoint is asked of the others too: a node that hangs still answers. */
const STALE_HEAD_MS = 10_000;
/** When all of them rest, nobody waits longer than this before one is asked all the same. */
const PATIENCE_MS = 15_000;

/**
 * One source of several endpoints of a chain. The first in the configuration that is not resting is asked; one that
 * fails rests, for as long as it asks to or a little longer each time, and is asked again after that. A block that one
 * endpoint lacks is asked of the others. Throws the last error when none of them can answer, a few times.
 */
export const createFailOver = (
  sources: readonly BlockSource[],
  events: FailOverEvents,
  retry?: RetryLimits,
): BlockSource => {
  const [first] = sources;
  if (first === undefined) throw new Error('a chain needs an endpoint');
  if (sources.length === 1) return first;
  const endpoints = sources.map(
    (source, place): Endpoint => ({ source, place, failures: 0, restUntilMs: 0 }),
  );

  const rest = (endpoint: Endpoint, error: SourceError): void => {
    // Of many requests that failed together the first says it for all.
    if (endpoint.restUntilMs > performance.now()) return;
    const growingMs = Math.min(REST_MS.first * 2 ** endpoint.failures, REST_MS.longest);
    const restMs = Math.min(error.retryAfterMs ?? growingMs, REST_MS.longest);
    endpoint.failures += 1;
    endpoint.restUntilMs = performance.now() + restMs;
    events.rested({ endpoint: endpoint.place, error, restMs });
  };

  /** The first answer that `settles`, else the first answer at all. */
  const askEach = async <T>(
    request: (source: BlockSource) => Promise<T>,
    settles: (answer: T) => boolean,
    signal: AbortSignal,
  ): Promise<T> => {
    const open: { answer: T }[] = [];
    let failure: unknown = null;
    for (const endpoint of await inOrder(endpoints, signal)) {
      try {
        const answer = await request(endpoint.source);
        endpoint.failures = 0;
        if (settles(answer)) return answer;
        open.push({ answer });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SourceError)) throw error;
        // What can never be answered is about the block, not about the endpoint.
        if (error.transient) rest(endpoint, error);
        failure = error;
      }
    }
    if (open[0]) return open[0].answer;
    throw failure;
  };

  const ask: typeof askEach = (request, settles, signal) =>
    retryTransient(() => askEach(request, settles, signal), signal, retry);

  let newest = { head: -1, sinceMs: 0 };
  const moves = (head: number): boolean => {
    const nowMs = performance.now();
    if (head > newest.head) newest = { head, sinceMs: nowMs };
    return nowMs - newest.sinceMs < STALE_HEAD_MS;
  };
  const settles = ({ status }: FetchResult): boolean => status !== 'not_yet';
  return {
    chain: first.chain,
    head: (signal) => ask((source) => source.head(signal), moves, signal),
    fetch: (number, signal) => ask((source) => source.fetch(number, signal), settles, signal),
    offersTraces: () => sources.reduce<boolean | null>((any, s) => any || (s.offersTraces?.() ?? any), null),
  };
};

/** Those that do not rest, as configured; when all rest, the one that is up next, after its rest. */
const inOrder = async (endpoints: readonly Endpoint[], signal: AbortSignal): Promise<readonly Endpoint[]> => {
  const nowMs = performance.now();
  const awake = endpoints.filter(({ restUntilMs }) => restUntilMs <= nowMs);
  if (awake.length > 0) return awake;
  const next = endpoints.reduce((a, b) => (b.restUntilMs < a.restUntilMs ? b : a));
  await sleep(Math.min(next.restUntilMs - nowMs, PATIENCE_MS), undefined, { signal });
  return [next];
};
