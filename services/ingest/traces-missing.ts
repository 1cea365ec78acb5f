import type { DecodedBlock } from '../investigate/model/block.ts';
import type { FetchResult } from './block-source.ts';
import { type RetryLimits, retryTransient, SourceError } from './source-error.ts';

export const TRACES_MISSING = 'traces_missing';

/** A block of a chain whose calls are traced otherwise: what they moved inside some of its transactions is not in it. */
export const withTracesMissing = (block: DecodedBlock): DecodedBlock => {
  if (block.problems.some(({ code }) => code === TRACES_MISSING)) return block;
  const message = 'no node could trace every call of this block: what the others moved is left out';
  return { ...block, problems: [...block.problems, { code: TRACES_MISSING, txIndex: null, message }] };
};

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
