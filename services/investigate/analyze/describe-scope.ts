import { transactionKey } from '../model/transfer-reader.ts';
import type { History } from './history-coverage.ts';
import type { ProfileMeta } from './profile.ts';
import type { Subject } from './read-subject.ts';

type ScopeFacts = {
  readonly subject: Subject;
  readonly history: History;
  /** Parts that the time budget cut off. */
  readonly cut: ReadonlySet<string>;
  /** Whether the address is a token or code whose creation or authorities are reported. */
  readonly isCode: boolean;
  /** null: unknown. */
  readonly frozen: readonly unknown[] | null;
  /** Assets with more outflow than inflow. */
  readonly overdrawn: readonly string[];
};

/** Describes how complete the data behind the profile is. */
export const describeScope = ({
  subject,
  history,
  cut,
  overdrawn,
  isCode,
  frozen,
}: ScopeFacts): ProfileMeta => {
  const { summary, entries, isAllRead, span, indexHead } = subject;
  const transactionsRead = new Set(entries.filter(({ txIndex }) => txIndex >= 0).map(transactionKey)).size;
  const reasons = [
    ...(history === 'whole' ? [] : ['Not all of its history is indexed.']),
    ...(summary === null || isAllRead ? [] : [`Only its newest ${transactionsRead} transactions were read.`]),
    ...(cut.size === 0 ? [] : [`The time ran out before these were read: ${[...cut].join(', ')}.`]),
    ...(overdrawn.length === 0
      ? []
      : [
          `More went out than came in of ${overdrawn.slice(0, 5).join(', ')}, so earlier transfers are missing.`,
        ]),
  ];
  if (frozen === null) reasons.push('Freezes and authorities are not kept for all blocks.');
  const shared = { transactionsRead, span, indexHead };
  if (summary === null && isCode)
    return {
      ...shared,
      scope: 'partial',
      detail:
        'No transfer of the address itself is indexed: this profile rests on its creation, holders and authorities.',
      complete: false,
    };
  if (summary === null)
    return {
      ...shared,
      scope: 'database',
      detail: 'No transaction of this address is indexed.',
      complete: false,
    };
  const complete = reasons.length === 0;
  const scope = complete ? 'full' : 'partial';
  return { ...shared, scope, detail: complete ? null : reasons.join(' '), complete };
};
