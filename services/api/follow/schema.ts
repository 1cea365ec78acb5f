import { z } from 'zod';
import { HOPS_DEFAULT, HOPS_MAX } from '../../investigate/follow/rules.ts';
import type { FollowRequest } from '../../investigate/follow/trail.ts';
import { parseAddress } from '../../investigate/model/address.ts';
import { assetFamily } from '../../investigate/model/asset.ts';
import { type Chain, findChain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { bodyError, defaultChain, needs, UNIX_SECONDS_MAX, wholeNumber } from '../body-fields.ts';

/** The body of POST /follow, as far as it can be checked without reading any data. */
export const createFollowSchema = (chains: readonly string[]): z.ZodType<FollowRequest> =>
  z
    .strictObject(
      {
        address: z.string({ error: needs('a string') }),
        chain: z.enum(chains, { error: `must be one of ${chains.join(', ')}` }).optional(),
        asset: z.string({ error: needs('a string') }).optional(),
        since: wholeNumber(0, UNIX_SECONDS_MAX, 'unix seconds, a whole number').optional(),
        max_hops: wholeNumber(1, HOPS_MAX, `a whole number from 1 to ${HOPS_MAX}`).optional(),
      },
      { error: bodyError },
    )
    .transform(({ address, chain: chainName, asset, since, max_hops }, context): FollowRequest => {
      const refuse = (path: string, message: string): never => {
        context.addIssue({ code: 'custom', path: [path], message });
        return z.NEVER;
      };
      const chain = findChain(chainName ?? defaultChain(address));
      if (chain === null) return refuse('chain', 'is not served here');
      const start = parseAddress(chain, address);
      const family = asset === undefined ? null : parseFamily(chain, asset);
      if (!start.ok) return refuse('address', start.message);
      if (family !== null && !family.ok) return refuse('asset', family.message);
      return {
        chain,
        start: start.address,
        family: family === null ? null : family.family,
        sinceUnixSeconds: since ?? null,
        maxHops: max_hops ?? HOPS_DEFAULT,
      };
    });

type FamilyResult =
  | { readonly ok: true; readonly family: string }
  | { readonly ok: false; readonly message: string };

const parseFamily = (chain: Chain, asset: string): FamilyResult => {
  if (asset === NATIVE) return { ok: true, family: NATIVE };
  const result = parseAddress(chain, asset);
  return result.ok
    ? { ok: true, family: assetFamily(chain, result.address) }
    : { ok: false, message: `is neither "${NATIVE}" nor a token: it ${result.message}` };
};
