import type { CaseDesk } from '../../cases/case-desk.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { sameOrigin } from '../account/same-origin.ts';
import type { ApiMiddleware } from '../context.ts';
import { ApiError } from '../errors.ts';
import { jsonBodyUpTo } from '../middleware/json-body.ts';
import { requestSignal } from '../middleware/request-signal.ts';
import type { Route } from '../router.ts';
import type { CaseExport } from './export-case.ts';
import { createCaseHandlers, ownerOf } from './handler.ts';
import type { IssuedAnswers } from './issued-answers.ts';

/** A step holds a whole answer. */
const BODY_BYTES_MAX = 8 << 20;
/** Requests of one owner, or of one address where nobody has an account, and for links. */
const REQUESTS = { burst: 300, everyMs: 250 };

type Dependencies = {
  readonly caseDesk?: CaseDesk | null;
  readonly caseExport?: CaseExport | null;
  readonly issued: Pick<IssuedAnswers, 'has'>;
  readonly clock: Clock;
  readonly publicUrl: URL | null;
  readonly identify: ApiMiddleware;
};

/** Cases of the console. They belong to its pages and are no part of the described API. */
export const caseRoutes = ({
  caseDesk = null,
  caseExport = null,
  issued,
  clock,
  publicUrl,
  identify,
}: Dependencies): readonly Route[] => {
  const cases = createCaseHandlers({ caseDesk, caseExport, issued, clock });
  const ours = sameOrigin(publicUrl);
  const requests = createRateLimit(REQUESTS, clock);
  const bound =
    (nameOf: (ctx: Parameters<ApiMiddleware>[0]) => string): ApiMiddleware =>
    (ctx, next) => {
      const seconds = ctx.state.from.isLocal ? 0 : requests.take(nameOf(ctx));
      if (seconds === 0) return next();
      throw new ApiError('too_many_calls', {
        sentence: 'Too many requests about cases. Wait as long as Retry-After says.',
        headers: { 'Retry-After': String(seconds) },
      });
    };
  const byOwner = bound(({ state: { caller, from } }) => {
    const owner = ownerOf(caller);
    return owner === 'open' ? from.name : owner;
  });
  const owned = [ours, identify, byOwner] as const;
  const body = jsonBodyUpTo(BODY_BYTES_MAX);
  return [
    ['GET', '/console/cases', ...owned, cases.list],
    ['POST', '/console/cases', ...owned, body, cases.make],
    ['GET', '/console/cases/:id', ...owned, cases.show],
    ['DELETE', '/console/cases/:id', ...owned, cases.remove],
    ['POST', '/console/cases/:id/steps', ...owned, body, cases.take],
    ['POST', '/console/cases/:id/undo', ...owned, body, cases.undo],
    ['POST', '/console/cases/:id/redo', ...owned, body, cases.redo],
    ['POST', '/console/cases/:id/name', ...owned, body, cases.rename],
    ['POST', '/console/cases/:id/export', ...owned, requestSignal, cases.export],
    ['POST', '/console/cases/:id/link', ...owned, cases.share],
    ['DELETE', '/console/cases/:id/link', ...owned, cases.unshare],
    ['POST', '/console/shared', ours, bound(({ state }) => state.from.name), body, cases.shared],
  ];
};
