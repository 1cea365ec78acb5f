import type { PriceReader } from '../../model/price-reader.ts';
import type { TraceReader } from '../../model/trace-reader.ts';
import { SHARED } from '../../session/ask-list.ts';
import { openReads } from '../../session/open-reads.ts';
import { traceKinds } from '../query-context.ts';
import { type TraceOptions, traceOver } from '../trace.ts';
import { type Trace, TraceRefusedError, type TraceRequest } from '../trace-answer.ts';
import { type Basis, noteBasis } from './note-basis.ts';

/** A trace waits for the queries of all others, so each half has the time of the whole wave. */
const WAVE_TIMEOUT_MS = 600_000;

export type Traced =
  | { readonly trace: Trace; readonly basis: Basis }
  | { readonly refused: TraceRefusedError };

type Together = {
  readonly reader: TraceReader;
  readonly prices: PriceReader;
  readonly signal: AbortSignal;
};

/**
 * Runs `trace` for each request and returns the answers in order, joining their queries into few. Throws
 * `ReadFailedError` when any of them cannot be read.
 */
export const traceTogether = async (
  requests: readonly TraceRequest[],
  { reader, prices, signal }: Together,
  options: Omit<TraceOptions, 'timeoutMs'> = {},
): Promise<readonly Traced[]> => {
  const shared = openReads(() => traceKinds(reader, prices), { policy: SHARED });
  const timed = { ...options, timeoutMs: WAVE_TIMEOUT_MS };
  return Promise.all(
    requests.map(async (request): Promise<Traced> => {
      try {
        const { basis, note } = noteBasis();
        return { trace: await traceOver(request, { open: shared, note, signal }, timed), basis };
      } catch (error) {
        if (error instanceof TraceRefusedError) return { refused: error };
        throw error;
      }
    }),
  );
};
