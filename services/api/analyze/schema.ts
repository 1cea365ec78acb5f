import { z } from 'zod';
import type { AnalyzeRequest } from '../../investigate/analyze/profile.ts';
import { parseAddress } from '../../investigate/model/address.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { budgetMsOf, readingFields, type Timed } from '../asking/reading-fields.ts';
import { addressField, bodyError, chainField, defaultChain } from '../body-fields.ts';

/** The body of POST /analyze. */
export const createAnalyzeSchema = (chains: readonly string[]): z.ZodType<Timed<AnalyzeRequest>> =>
  z
    .strictObject(
      {
        address: addressField('The wallet, program or token to analyze.'),
        chain: chainField(chains),
        ...readingFields,
      },
      { error: bodyError },
    )
    .transform((body, context): Timed<AnalyzeRequest> => {
      const refuse = (path: string, message: string): never => {
        context.addIssue({ code: 'custom', path: [path], message });
        return z.NEVER;
      };
      const chain = findChain(body.chain ?? defaultChain(body.address));
      if (chain === null) return refuse('chain', 'is not served here');
      const parsed = parseAddress(chain, body.address);
      return parsed.ok
        ? { chain, address: parsed.address, budgetMs: budgetMsOf(body.budget) }
        : refuse('address', parsed.message);
    });
