import Router from '@koa/router';
import type { Clock } from '../../platform/clock.ts';
import { type BillingDependencies, presentAccount } from '../billing/account.ts';
import type { ApiMiddleware, ApiState } from '../context.ts';
import { createIssueKeyHandler, createRevokeKeyHandler } from './keys.ts';
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
  readonly takesJson: ApiMiddleware;
  readonly clock: Clock;
  readonly billing: BillingDependencies;
  /** null: no credits are sold here. */
  readonly packs: Omit<PackDependencies, 'area'> | null;
};

/** The account area, under /account. `takesJson` reads a body and refuses every other kind. */
export const createAccountRoutes = (
  area: AccountArea,
  { takesJson, clock, billing, packs }: Dependencies,
): Router<ApiState> => {
  const guard = sameOrigin(area.origin);
  const router = new Router<ApiState>({ sensitive: true });
  router.post('/account/challenge', guard, takesJson, createChallengeHandler({ ...area, clock }));
  router.post('/account/session', guard, takesJson, createSignInHandler({ ...area, clock }));
  router.delete('/account/session', guard, createSignOutHandler(area));
  router.get('/account', guard, async (ctx) => {
    ctx.body = presentAccount(billing, admitSession(ctx, area).accountId);
  });
  router.post('/account/keys', guard, takesJson, createIssueKeyHandler(area));
  if (packs) router.post('/account/packs', guard, takesJson, createPackHandler({ area, ...packs }));
  router.delete('/account/keys/:id', guard, createRevokeKeyHandler(area));
  return router;
};
