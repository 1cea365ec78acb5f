import type { Mode } from '../matches/fee-model.ts';
import type { Evidence } from '../trace-answer.ts';
import calibration from './calibration.json' with { type: 'json' };

/**
 * Weights of evidence, fitted by scripts/fit-trace.ts on generated worlds, with the run that fitted them.
 * `prior`: how far the chance of a candidate without evidence lies below one in the anonymity set, by mode.
 * `weights`: what each family of evidence adds to the log-odds.
 */
export type Calibration = {
  readonly version: string;
  readonly prior: Readonly<Record<Mode, Prior>>;
  readonly weights: Readonly<Record<string, number>>;
};

/** The chance is 1 / (perFit × anonymity set + missing). `perFit` is at least 1, `missing` at least 0. */
export type Prior = { readonly perFit: number; readonly missing: number };

export const CALIBRATION: Calibration = calibration;

/** One chance in a thousand that all evidence is misread. */
const CONFIDENCE_MAX = 0.999;

export const weightKey = ({ family, grade }: Pick<Evidence<unknown>, 'family' | 'grade'>): string =>
  `${family}.${grade}`;

/**
 * The probability of a candidate without evidence. The owner is among the matches with probability q, and on
 * average s strangers match by chance. One match of n is then the owner with q / (q n + (1 - q) s): `missing`
 * is s (1 - q) / q. In a crowd s grows with n, which is `perFit`. Never above 1 / n.
 */
export const priorOf = (anonymitySet: number, { perFit, missing }: Prior): number =>
  1 / (Math.max(1, perFit) * Math.max(1, anonymitySet) + Math.max(0, missing));

/** For matches of several modes, the mode that is most informative. */
export const likeliestMode = (
  matches: readonly { readonly mode: Mode }[],
  anonymitySet: number,
  { prior }: Pick<Calibration, 'prior'>,
): Mode =>
  matches
    .map(({ mode }) => mode)
    .reduce((a, b) => (priorOf(anonymitySet, prior[b]) > priorOf(anonymitySet, prior[a]) ? b : a));

type Counted = readonly Pick<Evidence<unknown>, 'family' | 'grade' | 'weightMax'>[];

/** The strongest piece of each family. A family without a weight counts nothing. */
const strongestWeights = (evidence: Counted, weights: Calibration['weights']): number =>
  [...Map.groupBy(evidence, ({ family }) => family).values()].reduce(
    (sum, same) => sum + Math.max(...same.map((one) => weightOf(one, weights))),
    0,
  );

const weightOf = (one: Counted[number], weights: Calibration['weights']): number =>
  Math.min(weights[weightKey(one)] ?? 0, one.weightMax ?? Number.POSITIVE_INFINITY);

/**
 * Evidence that at most one candidate can have: a matching amount, shared by all whose amounts match equally
 * well, and a payment to or from a wallet that deals with everybody. At most one of a shop's customers is the
 * shop.
 */
const ONE_CHANCE: ReadonlySet<string> = new Set([
  ...['exact_amount.strong', 'exact_amount.plain', 'fee_fit.strong', 'fee_fit.plain'],
  ...['direct_transfer.plain', 'gas_by_depositor.plain'],
]);

const ofOneChance = (evidence: Counted): Counted => evidence.filter((one) => ONE_CHANCE.has(weightKey(one)));

/** The factor by which shared evidence raises a candidate's odds, minus 1; 0 without any. */
export const sharedExcess = (evidence: Counted, weights: Calibration['weights']): number =>
  Math.expm1(strongestWeights(ofOneChance(evidence), weights));

type Crowd = {
  readonly anonymitySet: number;
  readonly mode: Mode;
  /** The sum of `sharedExcess` of all other candidates. */
  readonly rivals?: number;
};

/**
 * The probability that the candidate's owner is the anchor's: the prior odds, raised by each family of
 * evidence. Nearness in time is not evidence (placebo tests find it at chance), so it is not used. Evidence
 * that several share belongs to one of them, so its odds are divided among them; no candidate falls below its
 * prior.
 */
export const combineEvidence = (
  evidence: Counted,
  { anonymitySet, mode, rivals = 0 }: Crowd,
  { prior, weights }: Calibration = CALIBRATION,
): number => {
  const chance = Math.min(priorOf(anonymitySet, prior[mode]), CONFIDENCE_MAX);
  if (evidence.length === 0) return chance;
  const odds = chance / (1 - chance);
  const ofChance = strongestWeights(ofOneChance(evidence), weights);
  const shared = Math.min(ofChance, Math.log1p(odds * rivals));
  const logOdds = Math.log(odds) + strongestWeights(evidence, weights) - shared;
  return Math.min(1 / (1 + Math.exp(-logOdds)), CONFIDENCE_MAX);
};
