import type { Clock } from '../../platform/clock.ts';
import { type BillingDependencies, presentAccount } from '../billing/account.ts';
import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { limitSigningIn } from '../middleware/limit-unpaid.ts';
import type { Route } from '../router.ts';
import { createKeyHandlers } from './keys.ts';
import { createPackHandler, type PackDependencies } from './packs.ts';
import { sameOrigin } from './same-origin.ts';
import {
  type AccountArea,
  admitSession,
  createChallengeHandler,
  createSignInHandler,
  createSignOutHandler,
} from './sign-in.ts';

type Dependencies = {
  readonly clock: Clock;
  readonly billing: BillingDependencies & { readonly isOpen: () => boolean };
  /** null: no credits are sold here. */
  readonly packs: Omit<PackDependencies, 'area'> | null;
};

const refusePacks: ApiMiddleware = () => {
  throw new ApiError('not_found', {
    sentence: 'Credits are not sold here: the service takes no payments by x402. Ask its operator.',
  });
};

/** The account area, under /account. */
export const accountRoutes = (
  area: AccountArea,
  { clock, billing, packs }: Dependencies,
): readonly Route[] => {
  const guard = sameOrigin(area.origin);
  const limit = limitSigningIn(clock);
  const keys = createKeyHandlers({ area, ...billing, clock });
  const present: ApiMiddleware = (ctx) => {
    ctx.body = presentAccount(billing, admitSession(ctx, area).accountId);
  };
  return [
    ['POST', '/account/challenge', guard, limit, jsonBody, createChallengeHandler({ ...area, clock })],
    ['POST', '/account/session', guard, limit, jsonBody, createSignInHandler({ ...area, clock })],
    ['DELETE', '/account/session', guard, createSignOutHandler(area)],
    ['GET', '/account', guard, present],
    ['POST', '/account/keys', guard, jsonBody, keys.issue],
    ['DELETE', '/account/keys/:id', guard, keys.revoke],
    packs
      ? ['POST', '/account/packs', guard, jsonBody, createPackHandler({ area, ...packs })]
      : ['POST', '/account/packs', guard, refusePacks],
  ];
};
