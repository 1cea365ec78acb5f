import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockSource, FetchResult } from './block-source.ts';
import { type RetryLimits, retryTransient, SourceError } from './source-error.ts';
import { isTracedInPart, retryUntraced, withTracesMissing } from './traces-missing.ts';

export type FailOverEvents = {
  /** An endpoint, by its place in the configuration, is left alone for a while; asking goes on at the next. */
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
/** A head that no longer moves on one endpoint, or is behind, is asked of the others too: a node that hangs still answers. */
const STALE_HEAD_MS = 10_000;
/** When all of them rest, nobody waits longer than this before one is asked all the same. */
const PATIENCE_MS = 15_000;

/**
 * One source of several endpoints of a chain. The first in the configuration that is not resting is asked; one that
 * fails rests, for as long as it asks to or a little longer each time, and is asked again after that. A block that one
 * endpoint lacks, cannot trace, or tells in parts that contradict each other, is asked of the others. Throws the last error when none of them can answer, a few times.
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
  // Of heads that hang, or are behind what was told before, the highest: that may have been told wrongly.
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
    // Of one that traces others some calls may be told.
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
        // Each was asked again for what contradicts itself.
        if (best.status === 'block' && best.contradicts) return { ...best, contradicts: 'for_good' };
        // Whoever told most may never tell the rest, and another one may.
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

/** A whole block is not asked of one that never traces before those that do. */
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

  /** Whether one rests: what the others lack it may have. */
  isOneAway(): boolean {
    return this.#all.some(({ restUntilMs, isStranger }) => !isStranger && restUntilMs > performance.now());
  }

  /** The first answer that is worth everything, else the first of those that are worth most. */
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

  /** What else can never be answered is about the block, not about the endpoint. */
  #heed(endpoint: Endpoint, error: SourceError): void {
    endpoint.isStranger = error.code === 'wrong_chain';
    if (!error.transient && !endpoint.isStranger) return;
    // Of many requests that failed together the first says it for all.
    if (endpoint.restUntilMs > performance.now()) return;
    const growingMs = Math.min(REST_MS.first * 2 ** endpoint.failures, REST_MS.longest);
    const restMs = Math.min(error.retryAfterMs ?? growingMs, REST_MS.longest);
    endpoint.failures += 1;
    endpoint.restUntilMs = performance.now() + restMs;
    this.#events.rested({ endpoint: endpoint.place, error, restMs });
  }

  /** Those that do not rest, as configured; when all rest, the one that is up next, after its rest. */
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
