import { z } from 'zod';
import { parseAddress } from '../../investigate/model/address.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { parseSignature } from '../../investigate/model/signature.ts';
import { WINDOW_DEFAULT_SECONDS, WINDOW_MAX_SECONDS } from '../../investigate/trace/rules.ts';
import type { TraceRequest } from '../../investigate/trace/trace-answer.ts';
import type { Clock } from '../../platform/clock.ts';
import { budgetMsOf, readingFields, type Timed } from '../asking/reading-fields.ts';
import {
  addressField,
  bodyError,
  chainField,
  defaultChain,
  IN_THE_FUTURE,
  isInTheFuture,
  needs,
  stringField,
  timeField,
  wholeNumber,
} from '../body-fields.ts';

/** More than any chain has of its coin or of dollars. Amounts below it fit into 256 bits. */
const WHOLE_UNITS_MAX = 1e12;
const WINDOW = `a whole number of seconds from 1 to ${WINDOW_MAX_SECONDS}`;

const amount = (what: string) => {
  const error = needs(`a number from 0 to ${WHOLE_UNITS_MAX}`);
  return z
    .number({ error })
    .min(0, { error })
    .max(WHOLE_UNITS_MAX, { error })
    .optional()
    .meta({ description: `${what} Needed only for transactions not indexed.` });
};

/** The body of POST /trace, as far as it can be checked without reading any data. */
export const createTraceSchema = (chains: readonly string[], clock: Clock): z.ZodType<Timed<TraceRequest>> =>
  z
    .strictObject(
      {
        wallet: addressField('The wallet whose transfer is traced.'),
        counterparty: addressField('The mixer pool or exchange wallet.'),
        signature: stringField('The transaction. Base58 on Solana, 0x and 64 hex digits on EVM chains.'),
        direction: z.enum(['in', 'out'], { error: needs('"in" or "out"') }).meta({
          description:
            'out: the wallet paid in; find who took it out. in: the wallet was paid; find who paid in.',
        }),
        time: timeField('When it was. Needed only for transactions not indexed.'),
        sol: amount('Coin of the chain moved, in whole units, or 0.'),
        usd: amount('Stablecoin moved, in whole units, or 0.'),
        window: wholeNumber(1, WINDOW_MAX_SECONDS, WINDOW)
          .optional()
          .meta({
            description: `Seconds to search. Default: ${WINDOW_DEFAULT_SECONDS.mixer} for a mixer, ${WINDOW_DEFAULT_SECONDS.exchange} for an exchange.`,
          }),
        chain: chainField(chains),
        ...readingFields,
      },
      { error: bodyError },
    )
    .transform((body, context): Timed<TraceRequest> => {
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
        budgetMs: budgetMsOf(body.budget),
      };
    });
