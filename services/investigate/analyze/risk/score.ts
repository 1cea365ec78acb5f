export const LEVELS = ['none', 'low', 'medium', 'high', 'critical'] as const;
export type Level = (typeof LEVELS)[number];

/** Increased with every change of the formula or the cuts. */
export const SCORE_VERSION = 1;

/** The score at which each level begins. */
export const LEVEL_CUTS: readonly { readonly level: Level; readonly from: number }[] = [
  { level: 'critical', from: 80 },
  { level: 'high', from: 50 },
  { level: 'medium', from: 25 },
  { level: 'low', from: 5 },
  { level: 'none', from: 0 },
];

/** A signal that fired, with a strength above 0 and at most 1. */
export type Weighed = { readonly weight: number; readonly strength: number };

/**
 * From 0 to 100: 100 × (1 − Π(1 − weight × strength)). Another signal never lowers the score, none counts
 * twice, and many weak ones approach 100 without passing it.
 */
export const scoreOf = (fired: readonly Weighed[]): number => {
  const left = fired.reduce((product, { weight, strength }) => product * (1 - weight * strength), 1);
  return Math.round((1 - left) * 1_000) / 10;
};

export const levelOf = (score: number): Level =>
  LEVEL_CUTS.find(({ from }) => score >= from)?.level ?? 'none';
