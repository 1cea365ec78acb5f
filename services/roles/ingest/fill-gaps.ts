import type { BlockSource } from '../../ingest/nodes/block-source.ts';
import { SourceError } from '../../ingest/nodes/source-error.ts';
import type { FinishedRanges } from '../../ingest/range/finished-ranges.ts';
import { ingestAll, type RangeEvents } from '../../ingest/range/ingest-range.ts';
import type { FoundGap, Gap } from '../../warehouse/read/blocks/find-gaps.ts';
import type { Store } from '../store/open-store.ts';

/** What an auditor remembers between audits of a chain. */
export class KnownGaps {
  /** Filled gaps. If one returns it is reported, not filled for ever. */
  readonly filled = new Set<string>();
  /** Gaps that could not be filled, in the order of the attempts. */
  readonly failed = new Set<string>();
}

export type FillOptions = {
  readonly store: Store;
  /** Finalised blocks only. */
  readonly source: BlockSource;
  readonly finished: FinishedRanges;
  readonly known: KnownGaps;
  readonly events: RangeEvents;
};

const PARALLEL = 4;
// The next audit comes soon, and other chains wait for this one.
const TRIES_MAX = 3;
/** No further gap is started after this time. */
export const FILL_MS = 300_000;

const nameOf = ({ first, last }: Gap): string => `${first}-${last}`;

/** Asks the chain for what is missing. Yields each gap and whether it was filled. */
export async function* fillGaps(
  options: FillOptions,
  gaps: readonly FoundGap[],
  signal: AbortSignal,
): AsyncGenerator<{ readonly gap: Gap; readonly isFilled: boolean }> {
  const { filled, failed } = options.known;
  const untilMs = performance.now() + FILL_MS;
  for (const gap of inTurn(gaps, failed)) {
    const name = nameOf(gap);
    const isTried = !filled.has(name) && performance.now() < untilMs;
    const isFilled = isTried && (await fill(options, gap, signal));
    if (isTried) failed.delete(name);
    if (isTried) (isFilled ? filled : failed).add(name);
    yield { gap: { first: gap.first, last: gap.last }, isFilled };
  }
}

/** Untried gaps first, then those tried longest ago, so none waits for ever. */
const inTurn = (gaps: readonly FoundGap[], failed: ReadonlySet<string>): readonly FoundGap[] => {
  const turns = new Map([...failed].map((name, turn) => [name, turn]));
  const turnOf = (gap: Gap): number => turns.get(nameOf(gap)) ?? -1;
  return gaps.toSorted((a, b) => turnOf(a) - turnOf(b));
};

/** false if no node has the blocks, or none answers. */
const fill = async (
  { store, source, events, finished }: FillOptions,
  gap: FoundGap,
  signal: AbortSignal,
): Promise<boolean> => {
  try {
    const { log, encodeBlock: encode } = store;
    const range = { source, log, encode, finished, parallel: PARALLEL, triesMax: TRIES_MAX, events };
    await ingestAll(range, gap, gap, signal);
    return true;
  } catch (error) {
    if (error instanceof SourceError) return false;
    throw error;
  }
};
