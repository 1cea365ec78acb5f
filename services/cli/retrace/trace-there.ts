import type { Spoor } from '../../sdk/create-spoor.ts';
import { SpoorError } from '../../sdk/spoor-error.ts';
import type { Anchor } from './anchor.ts';
import { type Result, type Tracer, withoutSearched } from './result.ts';

/** An account has three places. One is left for other callers. */
const AT_ONCE = 2;
const WAVE = 32;
/** Errors of the anchor, including one that always takes too long. All others concern the call. */
const REFUSALS = new Set([
  ...['counterparty_not_traceable', 'nothing_to_trace', 'anchor_contradicted', 'anchor_not_indexed'],
  ...['invalid_request', 'timeout'],
]);

/**
 * Asks a server for each anchor. Each call has its own Idempotency-Key, so a repetition after a crash is not
 * charged again.
 */
export const createTracerThere = (spoor: Pick<Spoor, 'trace'>, run: string): Tracer => ({
  waveSize: () => WAVE,
  trace: async (anchors, signal) => {
    const results: Result[] = new Array(anchors.length);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < anchors.length) {
        const at = next++;
        results[at] = await ask(spoor, anchors[at] as Anchor, run, signal);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return results;
  },
  close: async () => {},
});

const ask = async (
  spoor: Pick<Spoor, 'trace'>,
  { body, place }: Anchor,
  run: string,
  signal: AbortSignal,
): Promise<Result> => {
  try {
    const answer = await spoor.trace(body, { signal, idempotencyKey: `retrace ${run} ${place}` });
    return { answer: withoutSearched(answer) };
  } catch (error) {
    if (!(error instanceof SpoorError) || !REFUSALS.has(error.code)) throw error;
    const { code, message, fields } = error;
    return { refused: { code, field: fields[0]?.path ?? '', message } };
  }
};
