import { z } from 'zod';
import { count, orNull, text, unixSeconds } from '../contract/fields.ts';

const NO_ACCOUNT = 'no account is behind the call.';
const isoTime = (what: string) => orNull(text(`${what} ISO 8601, UTC.`), 'there is none.');
const left = (what: string) => orNull(z.int().meta({ description: what }), NO_ACCOUNT);

/** The object in the header x-service-credits; every field is null where no account is behind the call. */
export const creditsFields = {
  plan: orNull(text('Identifier of the plan.'), NO_ACCOUNT),
  plan_name: orNull(text('Name of the plan.'), NO_ACCOUNT),
  cycle: orNull(text('Billing cycle: monthly or yearly.'), NO_ACCOUNT),
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
    account_id: text('Identifier of the account.'),
    ...creditsFields,
    concurrency: z
      .object({
        limit: count('Calls of the account that may run at the same time.'),
        in_flight: count('Calls of the account that run now.'),
      })
      .meta({ description: 'How many calls may run, and do.' }),
    keys: z
      .array(
        z.object({
          id: z.string().meta({ description: 'Identifier of the key, for revoking it.' }),
          prefix: z.string().meta({ description: 'Its first characters; the rest is never shown again.' }),
          name: text('What its maker called it.'),
          created_at: unixSeconds('When it was made.'),
          last_used_at: orNull(unixSeconds('When it last paid for a call.'), 'never.'),
          revoked_at: orNull(unixSeconds('When it was revoked.'), 'it still opens the account.'),
        }),
      )
      .meta({ description: 'Its keys, revoked ones too.' }),
  })
  .meta({ id: 'Account', description: 'The plan, what is left of it, and the keys that spend it.' });

export const usageAnswer = z
  .object({
    days: z.int().min(7).max(365).meta({ description: 'How many days are told.' }),
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
