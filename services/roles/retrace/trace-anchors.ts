import { setTimeout as sleep } from 'node:timers/promises';
import { presentTraced } from '../../api/retrace/present-traced.ts';
import { createTraceSchema } from '../../api/trace/schema.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { traceTogether } from '../../investigate/trace/together/trace-together.ts';
import type { TraceRequest } from '../../investigate/trace/trace-answer.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Result } from '../../retrace/result.ts';
import type { Anchors, TraceAnchors } from '../../retrace/worker-ports.ts';

type Over = {
  readonly reader: TraceReader;
  readonly prices: PriceReader;
  readonly clock: Clock;
  /** Called for an anchor at which our own code fails. */
  readonly onError: (error: unknown) => void;
  readonly limits?: { readonly pieceMs: number; readonly waveMs: number };
};

/** Anchors traced at once: few, so that their queries do not delay interactive callers. */
const PIECE = { first: 16, max: 32 } as const;
/** Transfers in memory at once that the anchors of one piece may be compared with. */
const FITS_PER_PIECE = 25_000;
/**
 * Rests this many times as long as it worked, so that three quarters of the time belong to interactive
 * callers.
 */
const RESTS = 3;
/**
 * A piece that takes longer is halved. A wave ends after this time, rests included, so that other accounts
 * get their turn.
 */
const LIMITS = { pieceMs: 20_000, waveMs: 30_000 };
const NAMES = CHAINS.map(({ name }) => name);

/** Traces anchors of jobs over the tables in small pieces, and rests in between. */
export const createTraceAnchors = ({
  reader,
  prices,
  clock,
  onError,
  limits = LIMITS,
}: Over): TraceAnchors => {
  const schema = createTraceSchema(NAMES, clock);
  let size: number = PIECE.first;

  const traceGood = async (requests: readonly TraceRequest[], signal: AbortSignal): Promise<Result[]> => {
    const traced = await traceTogether(requests, { reader, prices, signal });
    const read = traced.reduce((sum, one) => sum + ('trace' in one ? one.trace.window.transactions : 0), 0);
    const fitting = Math.floor(FITS_PER_PIECE / Math.max(1, read / Math.max(1, requests.length)));
    size = Math.max(1, Math.min(PIECE.max, fitting, 2 * size));
    return traced.map(presentTraced);
  };
  /**
   * None when fewer should be tried. An anchor that fails alone reports it and does not hold up the others.
   */
  const tracePiece = async (anchors: Anchors, signal: AbortSignal): Promise<readonly Result[]> => {
    const parsed = anchors.map((anchor) => schema.safeParse(anchor));
    const late = AbortSignal.timeout(limits.pieceMs);
    const ended = new AbortController();
    const startMs = performance.now();
    try {
      const stopping = AbortSignal.any([signal, late, ended.signal]);
      const good = parsed.flatMap(({ data }) => data ?? []);
      const results = (await traceGood(good, stopping)).values();
      return parsed.map(({ success }) => (success ? (results.next().value ?? TOOK_TOO_LONG) : NOT_VALID));
    } catch (error) {
      signal.throwIfAborted();
      if (anchors.length > 1) {
        size = Math.ceil(anchors.length / 2);
        return [];
      }
      if (late.aborted || (error instanceof ReadFailedError && error.code === 'timeout'))
        return [TOOK_TOO_LONG];
      if (error instanceof ReadFailedError) throw error;
      onError(error);
      return [FAILED];
    } finally {
      // The other queries of a failed piece are useless.
      ended.abort();
      await sleep(RESTS * (performance.now() - startMs), undefined, { signal });
    }
  };

  return async (anchors, signal) => {
    const results: Result[] = [];
    const endMs = performance.now() + limits.waveMs;
    while (results.length < anchors.length && (results.length === 0 || performance.now() < endMs)) {
      try {
        const piece = anchors.slice(results.length, results.length + size);
        results.push(...(await tracePiece(piece, signal)));
      } catch (error) {
        if (signal.aborted || results.length === 0) throw error;
        break;
      }
    }
    return results;
  };
};

const TOOK_TOO_LONG: Result = {
  refused: { code: 'timeout', field: '', message: 'The answer took too long. It is free.' },
};
const FAILED: Result = {
  refused: { code: 'internal_error', field: '', message: 'Something went wrong on our side. It is free.' },
};
/** Checked when the job was submitted, possibly by older rules. */
const NOT_VALID: Result = {
  refused: { code: 'invalid_request', field: '', message: 'The anchor is not valid any more.' },
};
