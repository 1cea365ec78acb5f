import type { Mode } from '../../services/investigate/trace/matches/fee-model.ts';
import type { Calibration, Prior } from '../../services/investigate/trace/ranking/combine-evidence.ts';
import { priorOf } from '../../services/investigate/trace/ranking/combine-evidence.ts';
import { type EvidenceFamily, GRADES } from '../../services/investigate/trace/trace-answer.ts';

/** Candidates of one kind: `keys` are their weights. */
export type Sample = {
  readonly mode: Mode;
  readonly anonymitySet: number;
  readonly keys: readonly string[];
  /** Both owners; needed only for candidates with evidence. */
  readonly pair: string;
  readonly isOwner: boolean;
  readonly count: number;
};

export const MODES = ['fixed', 'free', 'exchange', 'swap'] as const satisfies readonly Mode[];

const DIRECT = ['direct_transfer', 'gas_by_depositor'] as const satisfies readonly EvidenceFamily[];

/** Prior variance of a weight: e to the third is ordinary evidence. */
const WEIGHT_VARIANCE = 9;
const NEWTON_STEPS = 60;

/**
 * Both parts of the calibration by maximum likelihood: the prior on candidates without evidence, the weights on
 * the rest.
 */
export const fitConfidence = (samples: readonly Sample[]): Pick<Calibration, 'prior' | 'weights'> => {
  const bare = samples.filter(({ keys }) => keys.length === 0);
  const prior = Object.fromEntries(
    MODES.map((mode) => [mode, fitPrior(bare.filter((sample) => sample.mode === mode))]),
  ) as Record<Mode, Prior>;
  return {
    prior,
    weights: keepOrder(fitWeights(countProfilesOnce(samples.filter(({ keys }) => keys.length > 0)), prior)),
  };
};

/**
 * An exact amount weighs no less than one less a fee, which more amounts match: few worlds show the former. A
 * payment of a wallet that pays everybody weighs as much as another's, divided among all whom it ties; each part
 * is no weight of its own.
 */
const keepOrder = (weights: Readonly<Record<string, number>>): Record<string, number> => {
  const lifted = GRADES.flatMap((grade) => {
    const [exact, fee] = [weights[`exact_amount.${grade}`] ?? 0, weights[`fee_fit.${grade}`] ?? 0];
    return exact >= fee ? [] : [[`exact_amount.${grade}`, fee] as const];
  });
  const paid = DIRECT.flatMap((family) => {
    const weight = weights[`${family}.strong`];
    return weight === undefined ? [] : [[`${family}.plain`, weight] as const];
  });
  return { ...weights, ...Object.fromEntries([...lifted, ...paid]) };
};

/** Equal profiles are equal for every note of both. */
const PROFILES: ReadonlySet<string> = new Set<EvidenceFamily>(['equal_counts', 'multi_pool']);
const isOfProfile = ({ keys }: Sample): boolean =>
  keys.some((key) => PROFILES.has(key.slice(0, key.indexOf('.'))));

/**
 * For profiles every pair of owners counts once, however many notes are traced: ten notes through three pools are
 * one coincidence seen ten times. Otherwise a few busy owners would decide the weight (pseudoreplication, Hurlbert
 * 1984).
 */
const countProfilesOnce = (samples: readonly Sample[]): Sample[] => {
  const same = Map.groupBy(samples.filter(isOfProfile), ({ pair, keys }) => `${pair} ${keys.join()}`);
  const once = [...same.values()].flatMap((ofPair) => {
    const seen = ofPair.reduce((sum, { count }) => sum + count, 0);
    return ofPair.map((sample) => ({ ...sample, count: sample.count / seen }));
  });
  return [...samples.filter((sample) => !isOfProfile(sample)), ...once];
};

const steps = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from * (to / from) ** (at / (count - 1)));

const PER_FIT = steps(1, 50, 60);
/** Above one, so that amount and time alone are never a lead: they match as well in a window without the owner. */
const MISSING = steps(1.1, 200, 60);

const fitPrior = (samples: readonly Sample[]): Prior => {
  let best: Prior = { perFit: 1, missing: 0 };
  let bestLoss = Number.POSITIVE_INFINITY;
  for (const perFit of PER_FIT)
    for (const missing of MISSING) {
      const loss = samples.reduce((sum, { anonymitySet, isOwner, count }) => {
        const chance = Math.min(priorOf(anonymitySet, { perFit, missing }), 1 - 1e-6);
        return sum - count * Math.log(isOwner ? chance : 1 - chance);
      }, 0);
      if (loss < bestLoss) [best, bestLoss] = [{ perFit: round(perFit), missing: round(missing) }, loss];
    }
  return best;
};

const round = (value: number): number => Number(value.toPrecision(4));

/**
 * Logistic regression with the prior's odds as offset and a normal prior on every weight, so that evidence that
 * was never wrong stays finite. Newton's method on the diagonal suffices because families seldom meet.
 */
const fitWeights = (
  samples: readonly Sample[],
  prior: Readonly<Record<Mode, Prior>>,
): Record<string, number> => {
  const keys = [...new Set(samples.flatMap((sample) => sample.keys))].sort();
  const weights = new Map(keys.map((key) => [key, 0]));
  const offsets = samples.map(({ mode, anonymitySet }) => {
    const chance = Math.min(priorOf(anonymitySet, prior[mode]), 1 - 1e-3);
    return Math.log(chance / (1 - chance));
  });
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    for (const key of keys) {
      let slope = -(weights.get(key) ?? 0) / WEIGHT_VARIANCE;
      let bend = 1 / WEIGHT_VARIANCE;
      for (const [at, sample] of samples.entries()) {
        if (!sample.keys.includes(key)) continue;
        const logOdds = sample.keys.reduce((sum, each) => sum + (weights.get(each) ?? 0), offsets[at] ?? 0);
        const said = 1 / (1 + Math.exp(-logOdds));
        slope += sample.count * ((sample.isOwner ? 1 : 0) - said);
        bend += sample.count * said * (1 - said);
      }
      // A weight moves by at most one per step, because far from the optimum the curve is nearly flat.
      const move = Math.max(-1, Math.min(1, slope / bend));
      // Evidence never lowers: weights are at least zero.
      weights.set(key, Math.max(0, (weights.get(key) ?? 0) + move));
    }
  }
  return Object.fromEntries([...weights].map(([key, weight]) => [key, round(weight)]));
};
