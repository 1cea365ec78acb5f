import { z } from 'zod';
import { parseAddress } from '../../investigate/model/address.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { VICTIMS_DEFAULT, VICTIMS_MAX } from '../../investigate/victims/rules.ts';
import type { VictimsRequest } from '../../investigate/victims/victims-report.ts';
import type { Clock } from '../../platform/clock.ts';
import { budgetMsOf, readingFields, type Timed } from '../asking/reading-fields.ts';
import {
  addressField,
  bodyError,
  chainField,
  defaultChain,
  IN_THE_FUTURE,
  isInTheFuture,
  timeField,
  UNIX_SECONDS_MAX,
  wholeNumber,
} from '../body-fields.ts';

/** The body of POST /victims, as far as it can be checked without reading any data. */
export const createVictimsSchema = (
  chains: readonly string[],
  clock: Clock,
): z.ZodType<Timed<VictimsRequest>> =>
  z
    .strictObject(
      {
        address: addressField('The drainer or thief.'),
        chain: chainField(chains),
        ...readingFields,
        since: timeField('Only losses from then on.'),
        until: timeField('Only losses until then.'),
        limit: wholeNumber(1, VICTIMS_MAX, `a whole number from 1 to ${VICTIMS_MAX}`)
          .optional()
          .meta({ description: `Most victims shown. Default: ${VICTIMS_DEFAULT}.` }),
      },
      { error: bodyError },
    )
    .transform((body, context): Timed<VictimsRequest> => {
      const refuse = (path: string, message: string): never => {
        context.addIssue({ code: 'custom', path: [path], message });
        return z.NEVER;
      };
      const chain = findChain(body.chain ?? defaultChain(body.address));
      if (chain === null) return refuse('chain', 'is not served here');
      const parsed = parseAddress(chain, body.address);
      if (!parsed.ok) return refuse('address', parsed.message);
      const { since = 0, until = UNIX_SECONDS_MAX } = body;
      if (isInTheFuture(since, clock)) return refuse('since', IN_THE_FUTURE);
      if (until < since) return refuse('until', 'lies before since');
      return {
        chain,
        address: parsed.address,
        fromUnixSeconds: since,
        toUnixSeconds: until,
        limit: body.limit ?? VICTIMS_DEFAULT,
        budgetMs: budgetMsOf(body.budget),
      };
    });
