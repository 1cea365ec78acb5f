import type { LabelKind } from '../../model/label.ts';
import type { BehaviourName, Severity } from '../behaviours/behaviour.ts';

/** The input of a signal. Exposure below `share` counts in proportion; `usdMin` keeps dust out. */
type SignalSource =
  | { readonly type: 'label'; readonly kind: LabelKind }
  | {
      readonly type: 'exposure';
      readonly kind: LabelKind;
      readonly direction: 'in' | 'out';
      readonly reach: 'direct' | 'indirect';
      /** The share of all inflow (outflow) at which the signal has its full weight. */
      readonly fullShare: number;
    }
  | { readonly type: 'behaviour'; readonly name: BehaviourName }
  | { readonly type: 'funding'; readonly kind: LabelKind }
  | { readonly type: 'frozen' }
  | { readonly type: 'delegation' };

export type Signal = {
  readonly code: string;
  readonly severity: Severity;
  /** From 0 to 1. When the signal fires fully, 1 minus the weight is left for the other signals. */
  readonly weight: number;
  readonly meaning: string;
  /** What an answer shows as evidence. */
  readonly evidence: string;
  readonly source: SignalSource;
};

/**
 * Increased with every change of a code, weight or threshold. Scores of different versions cannot be
 * compared.
 */
export const SIGNALS_VERSION = 3;

const TRANSFERS = 'The largest transfers with each party.';
const PATHS = 'The path of addresses from the party to the subject, with the amount of each step.';
const LABEL = 'The label, with its source and date.';
const EXAMPLES = 'Transactions that show it.';

const exposure = (
  kind: 'sanctioned' | 'hack' | 'mixer',
  direction: 'in' | 'out',
  reach: 'direct' | 'indirect',
  [severity, weight, fullShare]: readonly [Severity, number, number],
): Signal => ({
  code: `${kind}_${reach}_${direction}`,
  severity,
  weight,
  meaning: `Money ${direction === 'in' ? 'came from' : 'went to'} ${PARTIES[kind]}${
    reach === 'direct' ? '' : ' through wallets without a label, at most four hops away'
  }.`,
  evidence: reach === 'direct' ? TRANSFERS : PATHS,
  source: { type: 'exposure', kind, direction, reach, fullShare },
});

const PARTIES = {
  sanctioned: 'an address under sanctions',
  hack: 'an address that lists tie to thefts or fraud',
  mixer: 'a mixer',
} as const;

/**
 * All signals. Inflow says more about a wallet than outflow, because victims pay thieves, too. A tenth of
 * sanctioned money weighs as much as all of it; mixed money needs a quarter.
 */
export const SIGNALS: readonly Signal[] = [
  {
    code: 'sanctioned',
    severity: 'critical',
    weight: 1,
    evidence: LABEL,
    meaning: 'The address itself is under sanctions.',
    source: { type: 'label', kind: 'sanctioned' },
  },
  {
    code: 'hack',
    severity: 'critical',
    weight: 0.95,
    evidence: LABEL,
    meaning: 'Lists tie the address itself to thefts or fraud.',
    source: { type: 'label', kind: 'hack' },
  },
  {
    code: 'mixer',
    severity: 'high',
    weight: 0.7,
    evidence: LABEL,
    meaning: 'The address itself is a mixer.',
    source: { type: 'label', kind: 'mixer' },
  },
  exposure('sanctioned', 'in', 'direct', ['critical', 0.9, 0.1]),
  exposure('sanctioned', 'out', 'direct', ['critical', 0.85, 0.1]),
  exposure('sanctioned', 'in', 'indirect', ['high', 0.6, 0.1]),
  exposure('sanctioned', 'out', 'indirect', ['medium', 0.4, 0.1]),
  exposure('hack', 'in', 'direct', ['critical', 0.85, 0.25]),
  exposure('hack', 'out', 'direct', ['medium', 0.3, 0.25]),
  exposure('hack', 'in', 'indirect', ['high', 0.6, 0.25]),
  exposure('hack', 'out', 'indirect', ['low', 0.2, 0.25]),
  exposure('mixer', 'in', 'direct', ['high', 0.6, 0.25]),
  exposure('mixer', 'out', 'direct', ['high', 0.5, 0.25]),
  exposure('mixer', 'in', 'indirect', ['medium', 0.4, 0.25]),
  exposure('mixer', 'out', 'indirect', ['medium', 0.3, 0.25]),
  {
    code: 'drainer',
    severity: 'critical',
    weight: 0.85,
    evidence: EXAMPLES,
    meaning: 'Losses of several payers are split with this wallet at the same ratio, as drainers do.',
    source: { type: 'behaviour', name: 'drainer' },
  },
  {
    code: 'drainer_partner',
    severity: 'critical',
    weight: 0.85,
    evidence: EXAMPLES,
    meaning:
      'The wallet gets the larger part of losses that are split at the same ratio, as partners of drainers do.',
    source: { type: 'behaviour', name: 'drainer_partner' },
  },
  {
    code: 'poisoner',
    severity: 'high',
    weight: 0.8,
    evidence: EXAMPLES,
    meaning: 'The address was made to look like one that a counterparty had dealt with.',
    source: { type: 'behaviour', name: 'poisoner' },
  },
  {
    code: 'frozen_by_issuer',
    severity: 'critical',
    weight: 0.85,
    evidence: EXAMPLES,
    meaning: "The issuer of a stablecoin holds the wallet's balance frozen.",
    source: { type: 'frozen' },
  },
  {
    code: 'delegated_to_unknown_code',
    severity: 'high',
    weight: 0.6,
    evidence: EXAMPLES,
    meaning:
      'The wallet runs code (EIP-7702) that lists tie to thefts or that paid its money out without its key; a quarter as strong where nobody knows the code.',
    source: { type: 'delegation' },
  },
  {
    code: 'wash_loop',
    severity: 'low',
    weight: 0.15,
    evidence: EXAMPLES,
    meaning: 'The same amount repeatedly goes out and comes back.',
    source: { type: 'behaviour', name: 'wash_loop' },
  },
  {
    code: 'pass_through',
    severity: 'low',
    weight: 0.1,
    evidence: EXAMPLES,
    meaning: 'Most of what comes in leaves within an hour.',
    source: { type: 'behaviour', name: 'pass_through' },
  },
  {
    code: 'funded_by_sanctioned',
    severity: 'medium',
    weight: 0.3,
    evidence: EXAMPLES,
    meaning: 'The chain of first funders leads to an address under sanctions.',
    source: { type: 'funding', kind: 'sanctioned' },
  },
  {
    code: 'funded_by_hack',
    severity: 'medium',
    weight: 0.3,
    evidence: EXAMPLES,
    meaning: 'The chain of first funders leads to an address that lists tie to thefts or fraud.',
    source: { type: 'funding', kind: 'hack' },
  },
  {
    code: 'funded_by_mixer',
    severity: 'low',
    weight: 0.2,
    evidence: EXAMPLES,
    meaning: 'The chain of first funders leads to a mixer.',
    source: { type: 'funding', kind: 'mixer' },
  },
];
