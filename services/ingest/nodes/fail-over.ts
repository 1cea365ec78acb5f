import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockSource, FetchResult } from './block-source.ts';
import { type RetryLimits, retryTransient, SourceError } from './source-error.ts';
import { isTracedInPart, retryUntraced, withTracesMissing } from './traces-missing.ts';

export type FailOverEvents = {
  /** An endpoint, by its place in the configuration, rests; the next one is asked. */
  rested(at: { endpoint: number; error: SourceError; restMs: number }): void;
};

type Endpoint = {
  readonly source: BlockSource;
  readonly place: number;
  failures: number;
  restUntilMs: number;
  /** Whether it rests because it serves another chain: it has nothing that the others lack. */
  isStranger: boolean;
};

const REST_MS = { first: 250, longest: 60_000 };
/** If one endpoint's head stalls or lags, the others are asked, too, because a stuck node still answers. */
const STALE_HEAD_MS = 10_000;
/** If all rest, one is asked after this at the latest. */
const PATIENCE_MS = 15_000;

/**
 * One source from several endpoints of a chain. The first one that is not resting is asked. A failing one rests as
 * long as it asks to, or a little longer each time. A block that one endpoint lacks, cannot trace, or gives with
 * contradictions, is requested from the others. After some rounds it throws the last error.
 */
export const createFailOver = (
  sources: readonly BlockSource[],
  events: FailOverEvents,
  retry?: RetryLimits,
): BlockSource => {
  const [first] = sources;
  if (first === undefined) throw new Error('a chain needs an endpoint');
  if (sources.length === 1) return first;
  const endpoints = new Endpoints(sources, events);
  let newest = { head: -1, sinceMs: 0 };
  // Of stuck or lagging heads the highest: the earlier head may have been wrong.
  const worthOfHead = (head: number): number => {
    const nowMs = performance.now();
    if (head > newest.head) newest = { head, sinceMs: nowMs };
    const isNewest = head === newest.head && nowMs - newest.sinceMs < STALE_HEAD_MS;
    return isNewest ? WORTH.everything : head;
  };
  const mayTrace = (): boolean => sources.some((source) => source.offersTraces?.() !== false);
  const worthOfBlock = (result: FetchResult): number => {
    if (result.status === 'not_yet') return WORTH.nothing;
    if (result.status === 'block' && result.contradicts) return WORTH.doubted;
    if (result.status === 'block' && result.isPartial) return WORTH.part;
    if (result.status !== 'block' || !result.untraced || !mayTrace()) return WORTH.everything;
    if (isTracedInPart(result.decoded)) return WORTH.most;
    // A tracing node may miss some calls.
    return result.untraced === 'for_now' ? WORTH.some : WORTH.part;
  };
  const offersTraces = (): boolean | null =>
    sources.reduce<boolean | null>((any, s) => any || (s.offersTraces?.() ?? any), null);
  return {
    chain: first.chain,
    head: (signal) =>
      retryTransient(
        () => endpoints.ask((source) => source.head(signal), worthOfHead, signal),
        signal,
        retry,
      ),
    fetch: async (number, signal) => {
      const askAll = async (): Promise<FetchResult> => {
        let mayCome = false;
        const worthOf = (result: FetchResult): number => {
          mayCome ||= result.status === 'block' && result.untraced === 'for_now';
          return worthOfBlock(result);
        };
        const best = await endpoints.ask((s) => s.fetch(number, signal), worthOf, signal, tracingFirst);
        // Each node was asked again about contradictions.
        if (best.status === 'block' && best.contradicts) return { ...best, contradicts: 'for_good' };
        // The node that gave most may never give the rest; another one may.
        return mayCome && best.status === 'block' && best.untraced ? { ...best, untraced: 'for_now' } : best;
      };
      const result = await retryUntraced(askAll, signal, retry);
      if (result.status === 'not_yet' && endpoints.isOneAway()) return { ...result, isUnsure: true };
      if (result.status !== 'block' || !result.untraced || offersTraces() !== true) return result;
      return { ...result, decoded: withTracesMissing(result.decoded) };
    },
    offersTraces,
  };
};

type Offer<T> = { readonly answer: T; readonly worth: number };

const WORTH = { nothing: 0, doubted: 1, part: 2, some: 3, most: 4, everything: Number.POSITIVE_INFINITY };

/** For a whole block, tracing nodes go first. */
const tracingFirst = (a: Endpoint, b: Endpoint): number =>
  Number(a.source.offersTraces?.() === false) - Number(b.source.offersTraces?.() === false);

class Endpoints {
  readonly #all: readonly Endpoint[];
  readonly #events: FailOverEvents;

  constructor(sources: readonly BlockSource[], events: FailOverEvents) {
    this.#all = sources.map((source, place) => ({
      source,
      place,
      failures: 0,
      restUntilMs: 0,
      isStranger: false,
    }));
    this.#events = events;
  }

  /** Whether one rests: it may have what the others lack. */
  isOneAway(): boolean {
    return this.#all.some(({ restUntilMs, isStranger }) => !isStranger && restUntilMs > performance.now());
  }

  /** The first complete answer, else the first of the best ones. */
  async ask<T>(
    request: (source: BlockSource) => Promise<T>,
    worthOf: (answer: T) => number,
    signal: AbortSignal,
    order: (a: Endpoint, b: Endpoint) => number = () => 0,
  ): Promise<T> {
    let best: Offer<T> | null = null;
    let failure: SourceError | null = null;
    for (const endpoint of (await this.#inOrder(signal)).toSorted(order)) {
      try {
        const answer = await request(endpoint.source);
        endpoint.failures = 0;
        const worth = worthOf(answer);
        if (worth === WORTH.everything) return answer;
        if (best === null || worth > best.worth) best = { answer, worth };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SourceError)) throw error;
        this.#heed(endpoint, error);
        failure = error;
      }
    }
    if (best) return best.answer;
    throw failure && this.isOneAway() ? forNow(failure) : failure;
  }

  /** Other permanent failures concern the block, not the endpoint. */
  #heed(endpoint: Endpoint, error: SourceError): void {
    endpoint.isStranger = error.code === 'wrong_chain';
    if (!error.transient && !endpoint.isStranger) return;
    // One error may represent many requests that failed together.
    if (endpoint.restUntilMs > performance.now()) return;
    const growingMs = Math.min(REST_MS.first * 2 ** endpoint.failures, REST_MS.longest);
    const restMs = Math.min(error.retryAfterMs ?? growingMs, REST_MS.longest);
    endpoint.failures += 1;
    endpoint.restUntilMs = performance.now() + restMs;
    this.#events.rested({ endpoint: endpoint.place, error, restMs });
  }

  /** Those not resting, in configured order; if all rest, the one that is up next, after its rest. */
  async #inOrder(signal: AbortSignal): Promise<readonly Endpoint[]> {
    const nowMs = performance.now();
    const awake = this.#all.filter(({ restUntilMs }) => restUntilMs <= nowMs);
    if (awake.length > 0) return awake;
    const next = this.#all.reduce((a, b) => (b.restUntilMs < a.restUntilMs ? b : a));
    await sleep(Math.min(next.restUntilMs - nowMs, PATIENCE_MS), undefined, { signal });
    return [next];
  }
}

const forNow = ({ code, message, retryAfterMs }: SourceError): SourceError =>
  new SourceError(code, message, { transient: true, retryAfterMs });
