import { z } from 'zod';
import type { InsidersRequest } from '../../investigate/insiders/insiders-report.ts';
import { WINDOW_DEFAULT_SECONDS, WINDOW_MAX_SECONDS } from '../../investigate/insiders/rules.ts';
import { parseAddress } from '../../investigate/model/address.ts';
import { isStablecoin, toCanonicalAsset } from '../../investigate/model/asset.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { budgetMsOf, readingFields, type Timed } from '../asking/reading-fields.ts';
import { addressField, bodyError, chainField, defaultChain, wholeNumber } from '../body-fields.ts';

const WINDOW = `a whole number of seconds from 1 to ${WINDOW_MAX_SECONDS}`;

/** The body of POST /insiders, as far as it can be checked without reading any data. */
export const createInsidersSchema = (chains: readonly string[]): z.ZodType<Timed<InsidersRequest>> =>
  z
    .strictObject(
      {
        token: addressField('Mint or contract.'),
        chain: chainField(chains),
        ...readingFields,
        window: wholeNumber(1, WINDOW_MAX_SECONDS, WINDOW)
          .optional()
          .meta({
            description: `Seconds after the launch that count as early. Default: ${WINDOW_DEFAULT_SECONDS}.`,
          }),
      },
      { error: bodyError },
    )
    .transform((body, context): Timed<InsidersRequest> => {
      const refuse = (path: string, message: string): never => {
        context.addIssue({ code: 'custom', path: [path], message });
        return z.NEVER;
      };
      const chain = findChain(body.chain ?? defaultChain(body.token));
      if (chain === null) return refuse('chain', 'is not served here');
      const parsed = parseAddress(chain, body.token);
      if (!parsed.ok) return refuse('token', parsed.message);
      const canonicalAsset = toCanonicalAsset(chain, parsed.address);
      if (canonicalAsset === NATIVE || isStablecoin(chain, canonicalAsset))
        return refuse(
          'token',
          'is the coin or a stablecoin of the chain, which nobody launched for insiders',
        );
      return {
        ...{ chain, token: canonicalAsset },
        windowSeconds: body.window ?? WINDOW_DEFAULT_SECONDS,
        budgetMs: budgetMsOf(body.budget),
      };
    });
