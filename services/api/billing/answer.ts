import { z } from 'zod';
import { count, unixSeconds } from '../contract/fields.ts';

const isoTime = (what: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${what} ISO 8601, UTC; null where there is none.` });
const left = (what: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `${what} null without an account.` });

/** The object in the header x-service-credits; every field is null where no account is behind the call. */
export const creditsFields = {
  plan: z.string().nullable().meta({ description: 'Identifier of the plan.' }),
  plan_name: z.string().nullable().meta({ description: 'Name of the plan.' }),
  cycle: z
    .string()
    .nullable()
    .meta({ description: 'Billing cycle.', examples: ['monthly'] }),
  analyses_left: left('Analyses left in this period.'),
  traces_left: left('Traces left in this period.'),
  pack_credits: left('Credits left from packs.'),
  period_end: isoTime('End of the current period.'),
  paid_until: isoTime('Until when the plan is paid.'),
};

export const creditsObject = z
  .object(creditsFields)
  .meta({ id: 'Credits', description: 'What the account has left after the call.' });

export const accountAnswer = z
  .object({
    account_id: z.string(),
    ...creditsFields,
    concurrency: z.object({
      limit: count('Calls of the account that may run at the same time.'),
      in_flight: count('Calls of the account that run now.'),
    }),
    keys: z.array(
      z.object({
        id: z.string().meta({ description: 'Identifier of the key, for revoking it.' }),
        prefix: z.string().meta({ description: 'Its first characters; the rest is never shown again.' }),
        name: z.string(),
        created_at: unixSeconds('When it was made.'),
        last_used_at: unixSeconds('When it last paid for a call; null: never.').nullable(),
        revoked_at: unixSeconds('When it was revoked; null: it still opens the account.').nullable(),
      }),
    ),
  })
  .meta({ id: 'Account', description: 'The plan, what is left of it, and the keys that spend it.' });

export const usageAnswer = z
  .object({
    days: z.int().min(7).max(365),
    from: z.string().meta({ description: 'First day, UTC.', examples: ['2026-05-05'] }),
    to: z.string().meta({ description: 'Last day, UTC: today.' }),
    usage: z
      .array(
        z.object({
          date: z.string().meta({ description: 'The day, UTC.' }),
          analyses: count('Calls of /analyze.'),
          traces: count('Calls of /trace.'),
          follows: count('Calls of /follow.'),
          insiders: count('Calls of /insiders.'),
          victims: count('Calls of /victims.'),
          failed: count('Calls that failed or were free, and cost nothing.'),
          analyses_charged: count('Analyses taken from the plan.'),
          traces_charged: count('Traces taken from the plan.'),
          credits_charged: count('Credits taken from packs.'),
        }),
      )
      .meta({ description: 'One row a day, zero rows included, oldest first.' }),
  })
  .meta({ id: 'Usage', description: 'Use per day.' });
