import type { Cycle } from './period.ts';

/** What a plan grants in each period. */
export type Plan = {
  readonly name: string;
  readonly analyses: Readonly<Record<Cycle, number>>;
  readonly traces: Readonly<Record<Cycle, number>>;
};

/** Grants nothing: an account with this plan uses pack credits. An unpaid plan becomes this one. */
export const NO_PLAN = 'none';

/** A grant is recorded in its event, so a change here takes effect with an account's next period. */
export const PLANS = {
  none: { name: 'No plan', analyses: { monthly: 0, yearly: 0 }, traces: { monthly: 0, yearly: 0 } },
  free: { name: 'Free', analyses: { monthly: 50, yearly: 600 }, traces: { monthly: 10, yearly: 120 } },
  investigator: {
    name: 'Investigator',
    analyses: { monthly: 1_000, yearly: 12_000 },
    traces: { monthly: 250, yearly: 3_000 },
  },
  team: {
    name: 'Team',
    analyses: { monthly: 10_000, yearly: 120_000 },
    traces: { monthly: 2_500, yearly: 30_000 },
  },
} as const satisfies Record<string, Plan>;

export type PlanId = keyof typeof PLANS;
export const PLAN_IDS = Object.keys(PLANS) as PlanId[];
