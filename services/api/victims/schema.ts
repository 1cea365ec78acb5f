import { z } from 'zod';
import { parseAddress } from '../../investigate/model/address.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { VICTIMS_DEFAULT, VICTIMS_MAX } from '../../investigate/victims/rules.ts';
import type { VictimsRequest } from '../../investigate/victims/victims-report.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  bodyError,
  defaultChain,
  IN_THE_FUTURE,
  isInTheFuture,
  needs,
  UNIX_SECONDS_MAX,
  wholeNumber,
} from '../body-fields.ts';

const time = () => wholeNumber(0, UNIX_SECONDS_MAX, 'unix seconds, a whole number').optional();

/** The body of POST /victims, as far as it can be checked without reading any data. */
export const createVictimsSchema = (chains: readonly string[], clock: Clock): z.ZodType<VictimsRequest> =>
  z
    .strictObject(
      {
        address: z.string({ error: needs('a string') }),
        chain: z.enum(chains, { error: `must be one of ${chains.join(', ')}` }).optional(),
        since: time(),
        until: time(),
        limit: wholeNumber(1, VICTIMS_MAX, `a whole number from 1 to ${VICTIMS_MAX}`).optional(),
      },
      { error: bodyError },
    )
    .transform((body, context): VictimsRequest => {
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
      };
    });
