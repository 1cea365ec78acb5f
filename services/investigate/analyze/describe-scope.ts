import { describeSeenIn, READ_SECONDS_MIN } from '../model/history-coverage.ts';
import { transactionKey } from '../model/transfer-reader.ts';
import type { Cut } from '../session/create-read-session.ts';
import type { ProfileMeta } from './profile.ts';
import type { Subject } from './read-subject.ts';
import type { Basis } from './risk/find-risk.ts';

type ScopeFacts = {
  readonly subject: Subject;
  /** Parts that the time budget cut off. */
  readonly cut: Cut;
  /** Whether the address is a token or code whose creation or authorities are reported. */
  readonly isCode: boolean;
  /** null: unknown. */
  readonly frozen: readonly unknown[] | null;
  /** Assets with more outflow than inflow. */
  readonly overdrawn: readonly string[];
};

/** Facts that are left out or doubtful without the whole history. */
const NEED_HISTORY = 'it may be older, its first funder may be another, and sums and counts may be too low';

const countRead = ({ entries }: Subject): number =>
  new Set(entries.filter(({ txIndex }) => txIndex >= 0).map(transactionKey)).size;

/** Which part of the history was read, as a sentence; null: all of it. */
export const seenInOf = (subject: Subject): string | null => {
  if (subject.history !== 'whole') return describeSeenIn(subject.span);
  return subject.isAllRead ? null : `Seen in its newest ${countRead(subject)} transactions.`;
};

/** At least a day without a gap, and nothing known from before it. */
const isReadLongEnough = ({ span, summary }: Subject): boolean =>
  span !== null &&
  span.toUnixSeconds - span.fromUnixSeconds >= READ_SECONDS_MIN &&
  (summary?.firstUnixSeconds ?? 0) >= span.fromUnixSeconds;

/** What a level of risk rests on. */
export const describeBasis = (subject: Subject): Basis => {
  const { summary, history } = subject;
  const isWhole = history === 'whole';
  const reading = { isWhole, isEnough: isWhole || isReadLongEnough(subject) };
  const read = countRead(subject);
  if (summary === null) return { ...reading, detail: 'No transaction of it is indexed.' };
  const seenIn = seenInOf(subject);
  if (seenIn === null) return { ...reading, detail: `All ${read} transactions of its history were read.` };
  return { ...reading, detail: `${read} transactions were read. ${seenIn}` };
};

/** Describes how complete the data behind the profile is. */
export const describeScope = ({ subject, cut, overdrawn, isCode, frozen }: ScopeFacts): ProfileMeta => {
  const { summary, isAllRead, history, span, indexHead } = subject;
  const transactionsRead = countRead(subject);
  const reasons = [
    ...(history === 'whole' ? [] : [`Not all of its history is indexed, so ${NEED_HISTORY}.`]),
    ...(summary === null || isAllRead ? [] : [`Only its newest ${transactionsRead} transactions were read.`]),
    ...(cut.size === 0 ? [] : [`The time ran out before these were read: ${[...cut.keys()].join(', ')}.`]),
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
