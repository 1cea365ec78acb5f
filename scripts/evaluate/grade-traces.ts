import type { Candidate, Trace } from '../../services/investigate/trace/trace-answer.ts';
import { type Figure, toFigure } from '../bench/figure.ts';

/** One anchor that was traced, and what the truth says of the answer. */
export type GradedTrace = {
  /** From 1, as shown; null where the owner is not among the candidates. */
  readonly rank: number | null;
  /** What the rank would be if of candidates with one confidence the nearest in time stood first. */
  readonly rankByTime: number | null;
  /** The best candidate; null where there is none. */
  readonly top: Top | null;
  /** Whether the owner's own transfer lies in the window that was searched. */
  readonly inWindow: boolean;
};

/** The candidate shown first. Of all that share its confidence `tiedShare` are the owner's. */
export type Top = {
  readonly confidence: number;
  readonly isRight: boolean;
  readonly tiedShare: number;
  /** How many transfers could have been its. */
  readonly crowd: number;
};

export const ANSWERED_FROM = 0.5;
const BINS = 10;

export const gradeTrace = (
  { candidates }: Pick<Trace, 'candidates'>,
  isOwner: IsOwner,
  inWindow: boolean,
): GradedTrace => {
  const byTime = candidates.toSorted(
    (a, b) => b.confidence - a.confidence || Math.abs(a.deltaSeconds) - Math.abs(b.deltaSeconds),
  );
  const [first] = candidates;
  const top = first === undefined ? null : toTop(first, candidates, isOwner);
  return {
    rank: rankIn(candidates, isOwner),
    rankByTime: rankIn(byTime, isOwner),
    top,
    inWindow,
  };
};

type IsOwner = (candidate: Candidate) => boolean;

const rankIn = (candidates: readonly Candidate[], isOwner: IsOwner): number | null => {
  const at = candidates.findIndex(isOwner);
  return at < 0 ? null : at + 1;
};

const toTop = (first: Candidate, candidates: readonly Candidate[], isOwner: IsOwner): Top => {
  const tied = candidates.filter(({ confidence }) => confidence === first.confidence);
  return {
    confidence: first.confidence,
    isRight: isOwner(first),
    tiedShare: tied.filter(isOwner).length / tied.length,
    crowd: first.crowd,
  };
};

const mean = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

export const shareOf = <T>(all: readonly T[], holds: (one: T) => boolean): number =>
  mean(all.map((one) => (holds(one) ? 1 : 0)));

export const isRankedWithin = (graded: readonly GradedTrace[], atMost: number): number =>
  shareOf(graded, ({ rank }) => rank !== null && rank <= atMost);

/** The same if of equal candidates the nearest in time stood first. */
export const isRankedByTimeWithin = (graded: readonly GradedTrace[], atMost: number): number =>
  shareOf(graded, ({ rankByTime }) => rankByTime !== null && rankByTime <= atMost);

export const meanReciprocalRank = (graded: readonly GradedTrace[]): number =>
  mean(graded.map(({ rank }) => (rank === null ? 0 : 1 / rank)));

type Forecast = Top & { readonly chance: number };

const forecastsOf = (graded: readonly GradedTrace[]): Forecast[] =>
  graded.flatMap(({ top }) => (top === null ? [] : [{ ...top, chance: 1 / top.crowd }]));

export type ReliabilityBin = { readonly said: number; readonly was: number; readonly anchors: number };

type Outcome = (top: Top) => number;
const shownFirst: Outcome = ({ isRight }) => (isRight ? 1 : 0);

/** Ten bins of as many top candidates each, in order of what was said of them. */
const toReliability = (graded: readonly GradedTrace[], outcome = shownFirst): ReliabilityBin[] => {
  const sorted = forecastsOf(graded).sort((a, b) => a.confidence - b.confidence);
  return Array.from({ length: BINS }, (_, bin) => {
    const from = Math.floor((bin * sorted.length) / BINS);
    const inBin = sorted.slice(from, Math.floor(((bin + 1) * sorted.length) / BINS));
    const said = mean(inBin.map(({ confidence }) => confidence));
    return { said, was: mean(inBin.map(outcome)), anchors: inBin.length };
  }).filter(({ anchors }) => anchors > 0);
};

/** Expected calibration error: how far what was said lies from what was so, bin by bin, by their mass. */
export const calibrationError = (graded: readonly GradedTrace[], outcome = shownFirst): number => {
  const bins = toReliability(graded, outcome);
  const all = bins.reduce((sum, { anchors }) => sum + anchors, 0);
  return bins.reduce((sum, { said, was, anchors }) => sum + (Math.abs(said - was) * anchors) / all, 0);
};

/** Above 0: better than saying one of the anonymity set. */
export const brierSkill = (graded: readonly GradedTrace[]): number => {
  const forecasts = forecastsOf(graded);
  const loss = (said: (forecast: Forecast) => number): number =>
    mean(forecasts.map((forecast) => (shownFirst(forecast) - said(forecast)) ** 2));
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
  // Of none that was answered nothing can be said.
  if (forecastsOf(graded).length === 0) return [];
  const figure = (name: string, value: number, goal: { atMost?: number; atLeast?: number } = {}): Figure =>
    toFigure({ name: `${command}.${name}`, unit: 'share', subject, ...goal }, [value]);
  const skill = brierSkill(graded);
  return [
    {
      ...figure('ece', calibrationError(graded), { atMost: 0.05 }),
      details: {
        // Free of the luck of the lot: the mean over all that might have been shown first.
        tied: calibrationError(graded, ({ tiedShare }) => tiedShare),
        reliability: toReliability(graded),
      },
    },
    // Where saying one of the anonymity set is never wrong there is no skill to show.
    ...(Number.isFinite(skill) ? [figure('brier_skill', skill, { atLeast: 0 })] : []),
    figure('answered_share', answeredShare(graded)),
  ];
};
