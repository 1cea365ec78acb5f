import type { TimeRange } from '../../services/investigate/model/trace-reader.ts';
import type { Candidate, Trace } from '../../services/investigate/trace/trace-answer.ts';
import { type Figure, toFigure } from '../bench/figure.ts';
import { ANSWERED_FROM, shareOf, type TraceFigures } from './grade-traces.ts';

export type Placebo = {
  /** Traces the same anchor in another window. */
  readonly traceIn: (range: TimeRange) => Promise<Trace>;
  /** The answer in the anchor's own window. */
  readonly real: Trace;
  readonly isOwner: (candidate: Candidate) => boolean;
  /** First and last second of the data. */
  readonly data: TimeRange;
};

export type PlaceboLead = {
  readonly isFalse: boolean;
  /** Whether anybody but the owner could be named. */
  readonly hasCandidates: boolean;
};

/**
 * Whether a window without the owner's transfer still gives a lead. It lies on the other side of the anchor and
 * grows until it has as many candidates as the real one; null if the data ends before that.
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

/** One anchor per owner, with its answer in its own window. */
export type Placebos = { readonly leads: readonly PlaceboLead[]; readonly real: readonly Trace[] };

/** None if the data ends before any window has as many candidates. */
export const placeboFigures = ({ command, subject }: TraceFigures, { leads, real }: Placebos): Figure[] => {
  if (leads.length === 0) return [];
  const name = `${command}.placebo_false_lead_rate`;
  return [
    {
      ...toFigure({ name, unit: 'share', subject, atMost: 0.02 }, [shareOf(leads, ({ isFalse }) => isFalse)]),
      details: {
        anchors: leads.length,
        with_candidates: leads.filter(({ hasCandidates }) => hasCandidates).length,
        real_with_candidates: real.filter(({ candidates }) => candidates.length > 0).length,
        real_lead_rate: shareOf(real, ({ candidates }) => (candidates[0]?.confidence ?? 0) >= ANSWERED_FROM),
      },
    },
  ];
};
