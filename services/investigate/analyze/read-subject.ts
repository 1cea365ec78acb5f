import type { History } from '../model/history-coverage.ts';
import type { Label } from '../model/label.ts';
import type { Entry, SaidLabel, WalletSummary } from '../model/profile-reader.ts';
import { type ContiguousRange, ReadFailedError } from '../model/transfer-reader.ts';
import type { QueryContext } from './query-context.ts';
import { ENTRIES_MAX } from './rules.ts';

/** What the tables hold for the address itself. */
export type Subject = {
  readonly label: Label | null;
  readonly said: readonly SaidLabel[];
  /** null when no row contains it. */
  readonly summary: WalletSummary | null;
  /** Newest first. */
  readonly entries: readonly Entry[];
  /** Whether these are all its rows. */
  readonly isAllRead: boolean;
  readonly history: History;
  readonly span: ContiguousRange | null;
  readonly indexHead: number | null;
};

/**
 * One round of queries. Throws `ReadFailedError` when not even the sums arrive within the budget, because
 * then there is no profile.
 */
export const readSubject = async (wallet: string, context: QueryContext): Promise<Subject> => {
  const { reader, onChain, attempt, cut } = context;
  const [[label = null], said, summary, entries, history, span, indexHead] = await Promise.all([
    reader.labels(onChain, [wallet]),
    reader.labelsSaid({ ...onChain, wallet }),
    attempt('sums', () => reader.summary({ ...onChain, wallet })),
    attempt('rows', () => reader.entries({ ...onChain, wallet, limit: ENTRIES_MAX })),
    context.historyOf(wallet),
    context.readSpan(),
    reader.indexedHead(onChain),
  ]);
  if (cut.has('sums')) throw new ReadFailedError('timeout');
  return {
    label,
    said,
    summary,
    entries: entries ?? [],
    isAllRead: entries !== null && entries.length < ENTRIES_MAX,
    history,
    span,
    indexHead,
  };
};
