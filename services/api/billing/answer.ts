import { z } from 'zod';
import { count, orNull, text, unixSeconds } from '../contract/fields.ts';

const NO_ACCOUNT = 'no account.';
const isoTime = (what: string) => orNull(text(`${what} ISO 8601, UTC.`), 'there is none.');
const left = (what: string) => orNull(z.int().meta({ description: what }), NO_ACCOUNT);

/** The object in the header x-service-credits; every field is null without an account. */
export const creditsFields = {
  plan: orNull(text('The plan.'), NO_ACCOUNT),
  plan_name: orNull(text('The plan.'), NO_ACCOUNT),
  cycle: orNull(text('Billing cycle: monthly or yearly.'), NO_ACCOUNT),
  analyses_left: left('Left in this period.'),
  traces_left: left('Left in this period.'),
  pack_credits: left('Credits left from packs.'),
  period_end: isoTime('End of the current period.'),
  paid_until: isoTime('Until when the plan is paid.'),
};

export const creditsObject = z
  .object(creditsFields)
  .meta({ id: 'Credits', description: 'The header `x-service-credits`: what is left after the call.' });

export const accountAnswer = z
  .object({
    account_id: text('Its identifier.'),
    ...creditsFields,
    concurrency: z
      .object({
        limit: count('Most calls at the same time.'),
        in_flight: count('Calls running now.'),
      })
      .meta({ description: 'Parallel calls.' }),
    keys: z
      .array(
        z.object({
          id: z.string().meta({ description: 'Its identifier.' }),
          prefix: z.string().meta({ description: 'Its first characters.' }),
          name: text('Its name.'),
          created_at: unixSeconds('Created.'),
          last_used_at: orNull(unixSeconds('Last used.'), 'never.'),
          revoked_at: orNull(unixSeconds('Revoked.'), 'still valid.'),
        }),
      )
      .meta({ description: 'Keys, revoked ones too.' }),
  })
  .meta({ id: 'Account', description: 'The plan, what is left, and the keys.' });

export const usageAnswer = z
  .object({
    days: z.int().min(7).max(365).meta({ description: 'Days in `usage`.' }),
    from: z.string().meta({ description: 'First day, UTC.', examples: ['2026-05-05'] }),
    to: z.string().meta({ description: 'Last day, UTC: today.' }),
    usage: z
      .array(
        z.object({
          date: z.string().meta({ description: 'The day, UTC.' }),
          analyses: count('Calls of the route.'),
          traces: count('Calls of the route.'),
          follows: count('Calls of the route.'),
          insiders: count('Calls of the route.'),
          victims: count('Calls of the route.'),
          failed: count('Calls that cost nothing.'),
          analyses_charged: count('Analyses taken from the plan.'),
          traces_charged: count('Traces taken from the plan.'),
          credits_charged: count('Credits taken from packs.'),
        }),
      )
      .meta({ description: 'One row a day, oldest first.' }),
  })
  .meta({ id: 'Usage', description: 'Use per day.' });
