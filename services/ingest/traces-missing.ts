import type { DecodedBlock } from '../investigate/model/block.ts';
import type { BlockSource, FetchResult } from './block-source.ts';
import { type RetryLimits, retryTransient, SourceError } from './source-error.ts';

export const TRACES_MISSING = 'traces_missing';

/** A block of a chain whose calls are traced otherwise: what they moved inside some of its transactions is not in it. */
export const withTracesMissing = (block: DecodedBlock): DecodedBlock => {
  if (block.problems.some(({ code }) => code === TRACES_MISSING)) return block;
  const message = 'no node could trace every call of this block: what the others moved is left out';
  return { ...block, problems: [...block.problems, { code: TRACES_MISSING, txIndex: null, message }] };
};

/** How long a block is asked for whose calls nobody traces now, while the nodes trace others: longer than one takes to start again. */
const PATIENCE_MS = 60_000;
/** Blocks whose calls were not traced the last time. */
const WAITING_MAX = 1_000;

/**
 * A few tries say little of a node that is in trouble: a block whose calls it fails to trace is a transient `SourceError`
 * for a time. It is taken without them where that lasts, or where no other block was traced for as long: then it is
 * the nodes, and the chain goes on.
 */
export const withTracesAwaited = (source: BlockSource, patienceMs = PATIENCE_MS): BlockSource => {
  const failedMs = new Map<number, number>();
  let tracedMs = performance.now();
  return {
    ...source,
    fetch: async (number, signal) => {
      const result = await source.fetch(number, signal);
      const nowMs = performance.now();
      if (result.status !== 'block' || result.untraced !== 'for_now') {
        if (result.status === 'block' && isTraced(result)) tracedMs = nowMs;
        failedMs.delete(number);
        return result;
      }
      if (failedMs.size >= WAITING_MAX) failedMs.clear();
      const sinceMs = failedMs.get(number) ?? nowMs;
      failedMs.set(number, sinceMs);
      if (nowMs - Math.min(sinceMs, tracedMs) < patienceMs)
        throw new SourceError('rpc_error', 'the calls of a block are not traced now', { transient: true });
      failedMs.delete(number);
      return result;
    },
  };
};

const isTraced = ({ untraced, decoded }: Extract<FetchResult, { status: 'block' }>): boolean =>
  !untraced && decoded.transactions.length > 0;

/**
 * `retryTransient` that also asks again while a node may yet tell what the calls of a block moved. A block that no try could
 * trace is taken as it is: one that is never traced must not hold up its chain.
 */
export const retryUntraced = async (
  fetch: () => Promise<FetchResult>,
  signal: AbortSignal,
  retry?: RetryLimits,
): Promise<FetchResult> => {
  let untraced: FetchResult | null = null;
  const attempt = async (): Promise<FetchResult> => {
    untraced = null;
    const result = await fetch();
    if (result.status !== 'block' || result.untraced !== 'for_now') return result;
    untraced = result;
    throw new SourceError('rpc_error', 'the calls of a block are not traced', { transient: true });
  };
  try {
    return await retryTransient(attempt, signal, retry);
  } catch (error) {
    signal.throwIfAborted();
    if (untraced) return untraced;
    throw error;
  }
};
