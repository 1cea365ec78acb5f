import type { TimeRange } from '../../services/investigate/model/trace-reader.ts';
import type { Candidate, Trace } from '../../services/investigate/trace/trace-answer.ts';
import { ANSWERED_FROM } from './grade-traces.ts';

export type Placebo = {
  /** Traces the same anchor in another window. */
  readonly traceIn: (range: TimeRange) => Promise<Trace>;
  /** The answer in the anchor's own window. */
  readonly real: Trace;
  readonly isOwner: (candidate: Candidate) => boolean;
  /** First and last second that the data has. */
  readonly data: TimeRange;
};

export type PlaceboLead = {
  readonly isFalse: boolean;
  /** Whether there was anybody but the owner who could be named. */
  readonly hasCandidates: boolean;
};

/**
 * Whether a window in which the owner's transfer cannot be gives a lead all the same. The window lies on the other side of
 * the anchor and grows until it holds as many candidates as the real one; null where the data ends before that.
 */
export const findFalseLead = async ({
  traceIn,
  real,
  isOwner,
  data,
}: Placebo): Promise<PlaceboLead | null> => {
  const { anchor, window, direction } = real;
  const seconds = window.toUnixSeconds - window.fromUnixSeconds;
  for (let times = 1; ; times *= 2) {
    const range: TimeRange =
      direction === 'forward'
        ? {
            fromUnixSeconds: anchor.timeUnixSeconds - seconds * times,
            toUnixSeconds: anchor.timeUnixSeconds - 1,
          }
        : {
            fromUnixSeconds: anchor.timeUnixSeconds + 1,
            toUnixSeconds: anchor.timeUnixSeconds + seconds * times,
          };
    const answer = await traceIn(range);
    if (answer.anonymitySet >= real.anonymitySet) {
      const top = answer.candidates.find((candidate) => !isOwner(candidate));
      return {
        isFalse: top !== undefined && top.confidence >= ANSWERED_FROM,
        hasCandidates: top !== undefined,
      };
    }
    const hasMore = range.fromUnixSeconds > data.fromUnixSeconds && range.toUnixSeconds < data.toUnixSeconds;
    if (!hasMore) return null;
  }
};
