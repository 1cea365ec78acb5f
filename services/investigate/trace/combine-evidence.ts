import calibration from './calibration.json' with { type: 'json' };
import type { Mode } from './fee-model.ts';
import type { Evidence } from './trace-answer.ts';

/**
 * What evidence is worth, fitted by scripts/fit-trace.ts: the share of anchors whose owner is among the fits, by mode, and
 * what each family of evidence adds to the logarithm of the odds.
 */
export type Calibration = {
  readonly version: string;
  readonly inWindow: Readonly<Record<string, number>>;
  readonly weights: Readonly<Record<string, number>>;
};

export const CALIBRATION: Calibration = calibration;

/** One chance in a thousand that everything we know is misread. */
const CONFIDENCE_MAX = 0.999;

export const weightKey = ({ family, grade }: Pick<Evidence<unknown>, 'family' | 'grade'>): string =>
  `${family}.${grade}`;

/**
 * The probability that the candidate's owner is the anchor's. It starts from one of the `anonymitySet` transfers that fit,
 * times the share of owners who are among them at all, and only evidence lifts it: as odds, family by family, the
 * strongest of each family once. Nearness in time is no evidence (placebo tests find it at chance), so nothing here
 * knows about it.
 */
export const combineEvidence = (
  evidence: readonly Pick<Evidence<unknown>, 'family' | 'grade'>[],
  { anonymitySet, mode }: { anonymitySet: number; mode: Mode },
  { inWindow, weights }: Calibration = CALIBRATION,
): number => {
  const prior = Math.min(inWindow[mode] ?? 0, CONFIDENCE_MAX) / Math.max(anonymitySet, 1);
  const byFamily = Map.groupBy(evidence, ({ family }) => family);
  let logOdds = Math.log(prior / (1 - prior));
  for (const same of byFamily.values())
    logOdds += Math.max(...same.map((one) => weights[weightKey(one)] ?? 0));
  if (byFamily.size === 0) return prior;
  return Math.min(1 / (1 + Math.exp(-logOdds)), CONFIDENCE_MAX);
};
