import type { Candidate, Trace } from '../../services/investigate/trace/trace-answer.ts';
import { type Figure, toFigure } from '../bench/figure.ts';

/** A traced anchor with the truth about its answer. */
export type GradedTrace = {
  /** From 1, as shown; null if the owner is not among the candidates. */
  readonly rank: number | null;
  /** The rank if equal candidates were ordered by time. */
  readonly rankByTime: number | null;
  /** The best candidate; null if there is none. */
  readonly top: Top | null;
  /** Whether the owner's own transfer lies in the searched window. */
  readonly inWindow: boolean;
};

/** The candidate shown first. Of all with its confidence, `tiedShare` are the owner's. */
export type Top = {
  readonly confidence: number;
  readonly isRight: boolean;
  readonly tiedShare: number;
  /** How many transfers could be the owner's. */
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

/** The same if equal candidates were ordered by time. */
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

/** Ten bins with as many top candidates each, by confidence. */
const toReliability = (graded: readonly GradedTrace[], outcome = shownFirst): ReliabilityBin[] => {
  const sorted = forecastsOf(graded).sort((a, b) => a.confidence - b.confidence);
  return Array.from({ length: BINS }, (_, bin) => {
    const from = Math.floor((bin * sorted.length) / BINS);
    const inBin = sorted.slice(from, Math.floor(((bin + 1) * sorted.length) / BINS));
    const said = mean(inBin.map(({ confidence }) => confidence));
    return { said, was: mean(inBin.map(outcome)), anchors: inBin.length };
  }).filter(({ anchors }) => anchors > 0);
};

/** Expected calibration error: the weighted gap between confidence and outcome, bin by bin. */
export const calibrationError = (graded: readonly GradedTrace[], outcome = shownFirst): number => {
  const bins = toReliability(graded, outcome);
  const all = bins.reduce((sum, { anchors }) => sum + anchors, 0);
  return bins.reduce((sum, { said, was, anchors }) => sum + (Math.abs(said - was) * anchors) / all, 0);
};

/** Above 0: better than one in the anonymity set. */
export const brierSkill = (graded: readonly GradedTrace[]): number => {
  const forecasts = forecastsOf(graded);
  const loss = (said: (forecast: Forecast) => number): number =>
    mean(forecasts.map((forecast) => (shownFirst(forecast) - said(forecast)) ** 2));
  return 1 - loss(({ confidence }) => confidence) / loss(({ chance }) => chance);
};

export const answeredShare = (graded: readonly GradedTrace[]): number =>
  shareOf(graded, ({ top }) => top !== null && top.confidence >= ANSWERED_FROM);

export type TraceFigures = { readonly command: string; readonly subject: string };

/** Figures about confidence for every evaluation. */
export const confidenceFigures = (
  { command, subject }: TraceFigures,
  graded: readonly GradedTrace[],
): Figure[] => {
  // Without answers there is nothing to grade.
  if (forecastsOf(graded).length === 0) return [];
  const figure = (name: string, value: number, goal: { atMost?: number; atLeast?: number } = {}): Figure =>
    toFigure({ name: `${command}.${name}`, unit: 'share', subject, ...goal }, [value]);
  const skill = brierSkill(graded);
  return [
    {
      ...figure('ece', calibrationError(graded), { atMost: 0.05 }),
      details: {
        // Independent of the order of equals: the mean over all candidates that might be shown first.
        tied: calibrationError(graded, ({ tiedShare }) => tiedShare),
        reliability: toReliability(graded),
      },
    },
    // If one in the anonymity set is never wrong there is no skill to show.
    ...(Number.isFinite(skill) ? [figure('brier_skill', skill, { atLeast: 0 })] : []),
    figure('answered_share', answeredShare(graded)),
  ];
};
