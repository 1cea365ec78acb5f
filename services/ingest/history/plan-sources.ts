import type { HistoryKind } from '../../investigate/model/history.ts';
import type { HistorySource } from './history-source.ts';

export type PlannedSource = { readonly source: HistorySource; readonly kinds: readonly HistoryKind[] };
type Probed = { readonly source: HistorySource; readonly offered: readonly HistoryKind[] };

/**
 * The fewest sources that list all that any of them can: each in turn the one with most of what is still missing,
 * of equals the one that is configured first. What nobody lists stays out.
 */
export const planSources = (
  probed: readonly Probed[],
  wanted: readonly HistoryKind[],
): readonly PlannedSource[] => {
  const planned: PlannedSource[] = [];
  let missing = [...wanted];
  for (;;) {
    let best: PlannedSource | null = null;
    for (const { source, offered } of probed) {
      const kinds = missing.filter((kind) => offered.includes(kind));
      if (kinds.length > (best?.kinds.length ?? 0)) best = { source, kinds };
    }
    if (best === null) return planned;
    const { kinds } = best;
    planned.push(best);
    missing = missing.filter((kind) => !kinds.includes(kind));
  }
};
