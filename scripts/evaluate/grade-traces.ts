import type { Candidate, Trace } from '../../services/investigate/trace/trace-answer.ts';
import { type Figure, toFigure } from '../bench/figure.ts';

/** One anchor that was traced, and what the truth says of the answer. */
export type GradedTrace = {
  /** From 1; null where the owner is not among the candidates. */
  readonly rank: number | null;
  readonly anonymitySet: number;
  /** The best candidate; null where there is none. */
  readonly top: Top | null;
  /** Whether the owner's own transfer lies in the window that was searched. */
  readonly inWindow: boolean;
};

/**
 * The highest confidence. Where several candidates share it none of them is the top one (the nearest in time is shown
 * first, and its confidence does not say so): `rightShare` of them are the owner's. `isRight`: the one shown first is.
 */
export type Top = {
  readonly confidence: number;
  readonly rightShare: number;
  readonly isRight: boolean;
};

export const ANSWERED_FROM = 0.5;
const BINS = 10;

export const gradeTrace = (
  { candidates, anonymitySet }: Trace,
  isOwner: (candidate: Candidate) => boolean,
  inWindow: boolean,
): GradedTrace => {
  const at = candidates.findIndex(isOwner);
  const [first] = candidates;
  const top = first === undefined ? null : toTop(first, candidates, isOwner);
  return { rank: at < 0 ? null : at + 1, anonymitySet, top, inWindow };
};

const toTop = (
  first: Candidate,
  candidates: readonly Candidate[],
  isOwner: (candidate: Candidate) => boolean,
): Top => {
  const tied = candidates.filter(({ confidence }) => confidence === first.confidence);
  return {
    confidence: first.confidence,
    rightShare: tied.filter(isOwner).length / tied.length,
    isRight: isOwner(first),
  };
};

const mean = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

export const shareOf = <T>(all: readonly T[], holds: (one: T) => boolean): number =>
  mean(all.map((one) => (holds(one) ? 1 : 0)));

export const isRankedWithin = (graded: readonly GradedTrace[], atMost: number): number =>
  shareOf(graded, ({ rank }) => rank !== null && rank <= atMost);

export const meanReciprocalRank = (graded: readonly GradedTrace[]): number =>
  mean(graded.map(({ rank }) => (rank === null ? 0 : 1 / rank)));

type Forecast = Top & { readonly chance: number };

const forecastsOf = (graded: readonly GradedTrace[]): Forecast[] =>
  graded.flatMap(({ top, anonymitySet }) => (top === null ? [] : [{ ...top, chance: 1 / anonymitySet }]));

/** What a grader sees who takes the first shown for the top one. */
const asShown = (graded: readonly GradedTrace[]): GradedTrace[] =>
  graded.map((one) =>
    one.top === null ? one : { ...one, top: { ...one.top, rightShare: one.top.isRight ? 1 : 0 } },
  );

export type ReliabilityBin = { readonly said: number; readonly was: number; readonly anchors: number };

/** Ten bins of as many top candidates each, in order of what was said of them. */
const toReliability = (graded: readonly GradedTrace[]): ReliabilityBin[] => {
  const sorted = forecastsOf(graded).sort((a, b) => a.confidence - b.confidence);
  return Array.from({ length: BINS }, (_, bin) => {
    const from = Math.floor((bin * sorted.length) / BINS);
    const inBin = sorted.slice(from, Math.floor(((bin + 1) * sorted.length) / BINS));
    const said = mean(inBin.map(({ confidence }) => confidence));
    return { said, was: mean(inBin.map(({ rightShare }) => rightShare)), anchors: inBin.length };
  }).filter(({ anchors }) => anchors > 0);
};

/** Expected calibration error: how far what was said lies from what was so, bin by bin, by their mass. */
export const calibrationError = (graded: readonly GradedTrace[]): number => {
  const bins = toReliability(graded);
  const all = bins.reduce((sum, { anchors }) => sum + anchors, 0);
  return bins.reduce((sum, { said, was, anchors }) => sum + (Math.abs(said - was) * anchors) / all, 0);
};

/** Above 0: better than saying one of the anonymity set. */
export const brierSkill = (graded: readonly GradedTrace[]): number => {
  const forecasts = forecastsOf(graded);
  const loss = (said: (forecast: Forecast) => number): number =>
    mean(
      forecasts.map((forecast) => {
        const { rightShare } = forecast;
        return rightShare * (1 - said(forecast)) ** 2 + (1 - rightShare) * said(forecast) ** 2;
      }),
    );
  return 1 - loss(({ confidence }) => confidence) / loss(({ chance }) => chance);
};

export const answeredShare = (graded: readonly GradedTrace[]): number =>
  shareOf(graded, ({ top }) => top !== null && top.confidence >= ANSWERED_FROM);

export type TraceFigures = { readonly command: string; readonly subject: string };

/** What every evaluation says of the confidence of its answers. */
export const confidenceFigures = (
  { command, subject }: TraceFigures,
  graded: readonly GradedTrace[],
): Figure[] => {
  const figure = (name: string, value: number, goal: { atMost?: number; atLeast?: number } = {}): Figure =>
    toFigure({ name: `${command}.${name}`, unit: 'share', subject, ...goal }, [value]);
  return [
    {
      ...figure('ece', calibrationError(graded), { atMost: 0.05 }),
      details: { as_shown: calibrationError(asShown(graded)), reliability: toReliability(graded) },
    },
    figure('brier_skill', brierSkill(graded), { atLeast: 0 }),
    figure('answered_share', answeredShare(graded)),
  ];
};
