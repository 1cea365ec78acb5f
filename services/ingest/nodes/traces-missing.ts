import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { BlockSource, FetchResult } from './block-source.ts';
import { type RetryLimits, retryTransient, SourceError } from './source-error.ts';

export const TRACES_MISSING = 'traces_missing';

/** A block without the calls of some transactions, on a chain with traces. */
export const withTracesMissing = (block: DecodedBlock): DecodedBlock => {
  if (block.problems.some(({ code }) => code === TRACES_MISSING)) return block;
  const message = 'no node could trace every call of this block: what the others moved is left out';
  return { ...block, problems: [...block.problems, { code: TRACES_MISSING, txIndex: null, message }] };
};

/** Whether only some transactions are traced; then the missing ones are named. */
export const isTracedInPart = ({ problems }: DecodedBlock): boolean =>
  problems.some(({ code, txIndex }) => txIndex !== null && code.startsWith('trace_'));

/** How long an untraced block is requested while others are traced: longer than a node's restart. */
const PATIENCE_MS = 60_000;
/** The part of the time since the last vain wait that may be spent on the next. */
const SHARE = 1 / 10;
/** Blocks that were not traced the last time. */
const WAITING_MAX = 1_000;

/**
 * A few attempts say little about a struggling node, so an untraced block is a transient `SourceError` for a time.
 * It is taken without traces if that lasts, or if no other block was traced for as long: then it is the nodes, and
 * the chain goes on. Untraceable blocks delay the chain for a tenth of the time at most: after a vain wait the
 * patience is used up and grows again.
 */
export const withTracesAwaited = (
  source: BlockSource,
  patienceMs = PATIENCE_MS,
  now = () => performance.now(),
): BlockSource => {
  const failedMs = new Map<number, number>();
  let tracedMs = now();
  let vainMs = Number.NEGATIVE_INFINITY;
  const isWaitedFor = (sinceMs: number, nowMs: number): boolean => {
    const leftMs = Math.min(patienceMs, (nowMs - vainMs) * SHARE);
    // Small improvements are not worth a second read.
    if (leftMs < patienceMs * SHARE || nowMs - tracedMs >= patienceMs) return false;
    return nowMs - sinceMs < leftMs;
  };
  return {
    ...source,
    fetch: async (number, signal) => {
      const result = await source.fetch(number, signal);
      const nowMs = now();
      if (result.status !== 'block' || result.untraced !== 'for_now') {
        if (result.status === 'block' && isTraced(result)) tracedMs = nowMs;
        failedMs.delete(number);
        return result;
      }
      if (failedMs.size >= WAITING_MAX) failedMs.clear();
      const sinceMs = failedMs.get(number);
      failedMs.set(number, sinceMs ?? nowMs);
      if (isWaitedFor(sinceMs ?? nowMs, nowMs))
        throw new SourceError('rpc_error', 'the node cannot trace this block now', { transient: true });
      failedMs.delete(number);
      if (sinceMs !== undefined) vainMs = nowMs;
      return result;
    },
  };
};

const isTraced = ({ untraced, decoded }: Extract<FetchResult, { status: 'block' }>): boolean =>
  !untraced && decoded.transactions.length > 0;

/**
 * `retryTransient` that also repeats while a node may still give traces or consistent parts. If no attempt
 * improves the block it is taken as it is: one that is never traced must not stop its chain.
 */
export const retryUntraced = async (
  fetch: () => Promise<FetchResult>,
  signal: AbortSignal,
  retry?: RetryLimits,
): Promise<FetchResult> => {
  let lacking: FetchResult | null = null;
  const attempt = async (): Promise<FetchResult> => {
    lacking = null;
    const result = await fetch();
    if (result.status !== 'block') return result;
    if (result.untraced !== 'for_now' && result.contradicts !== 'for_now') return result;
    lacking = result;
    throw new SourceError('rpc_error', 'the node gave only a part of the block', { transient: true });
  };
  try {
    return await retryTransient(attempt, signal, retry);
  } catch (error) {
    signal.throwIfAborted();
    if (lacking) return lacking;
    throw error;
  }
};
