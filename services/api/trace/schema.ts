import { z } from 'zod';
import { parseAddress } from '../../investigate/model/address.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { parseSignature } from '../../investigate/model/signature.ts';
import { WINDOW_MAX_SECONDS } from '../../investigate/trace/rules.ts';
import type { TraceRequest } from '../../investigate/trace/trace-answer.ts';
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

/** Above all that any chain has of its coin or of dollars: an amount fits into 256 bits whatever its decimals. */
const WHOLE_UNITS_MAX = 1e12;
const WINDOW = `a whole number of seconds from 1 to ${WINDOW_MAX_SECONDS}`;

const text = () => z.string({ error: needs('a string') });
const amount = () => {
  const error = needs(`a number from 0 to ${WHOLE_UNITS_MAX}`);
  return z.number({ error }).min(0, { error }).max(WHOLE_UNITS_MAX, { error });
};

/** The body of POST /trace, as far as it can be checked without reading any data. */
export const createTraceSchema = (chains: readonly string[], clock: Clock): z.ZodType<TraceRequest> =>
  z
    .strictObject(
      {
        wallet: text(),
        counterparty: text(),
        signature: text(),
        direction: z.enum(['in', 'out'], { error: needs('"in" or "out"') }),
        time: wholeNumber(0, UNIX_SECONDS_MAX, 'unix seconds, a whole number').optional(),
        sol: amount().optional(),
        usd: amount().optional(),
        window: wholeNumber(1, WINDOW_MAX_SECONDS, WINDOW).optional(),
        chain: z.enum(chains, { error: `must be one of ${chains.join(', ')}` }).optional(),
      },
      { error: bodyError },
    )
    .transform((body, context): TraceRequest => {
      const refuse = (path: string, message: string): never => {
        context.addIssue({ code: 'custom', path: [path], message });
        return z.NEVER;
      };
      const chain = findChain(body.chain ?? defaultChain(body.wallet));
      if (chain === null) return refuse('chain', 'is not served here');
      const wallet = parseAddress(chain, body.wallet);
      const counterparty = parseAddress(chain, body.counterparty);
      const signature = parseSignature(chain, body.signature);
      if (!wallet.ok) return refuse('wallet', wallet.message);
      if (!counterparty.ok) return refuse('counterparty', counterparty.message);
      if (wallet.address === counterparty.address) return refuse('counterparty', 'is the wallet itself');
      if (signature === null) return refuse('signature', `is not a transaction of ${chain.name}`);
      if (isInTheFuture(body.time ?? 0, clock)) return refuse('time', IN_THE_FUTURE);
      return {
        chain,
        wallet: wallet.address,
        counterparty: counterparty.address,
        signature,
        direction: body.direction,
        timeUnixSeconds: body.time ?? 0,
        coin: body.sol ?? 0,
        usd: body.usd ?? 0,
        missing: (['time', 'sol', 'usd'] as const).filter((field) => body[field] === undefined),
        windowSeconds: body.window ?? null,
      };
    });
