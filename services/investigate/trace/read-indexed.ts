import type { IndexedSpan, TimeRange } from '../model/trace-reader.ts';
import type { QueryContext } from './query-context.ts';
import type { Search } from './search.ts';

/**
 * The times of the first and the newest indexed block, and whether a block is missing in the window between
 * them.
 */
export type Indexed = { readonly span: IndexedSpan | null; readonly hasGaps: boolean };

export const readIndexed = async (
  { range }: Pick<Search, 'range'>,
  { reads, onChain }: QueryContext,
): Promise<Indexed> => {
  const [indexed = null] = await reads.indexedSpan({}, [onChain.chain]);
  if (indexed === null) return { span: null, hasGaps: false };
  const span = indexed;
  const { contiguousSinceUnixSeconds } = indexed;
  const fromUnixSeconds = Math.max(range.fromUnixSeconds, span.fromUnixSeconds);
  // After the last gap none is missing, so only windows that reach further back are checked.
  if (fromUnixSeconds > contiguousSinceUnixSeconds) return { span, hasGaps: false };
  const { toUnixSeconds } = range;
  const [hasGaps = false] = await reads.hasGaps(onChain, [{ fromUnixSeconds, toUnixSeconds }]);
  return { span, hasGaps };
};

export const isCovered = (
  { fromUnixSeconds, toUnixSeconds }: TimeRange,
  { span, hasGaps }: Indexed,
): boolean =>
  span !== null && span.fromUnixSeconds <= fromUnixSeconds && span.toUnixSeconds >= toUnixSeconds && !hasGaps;
