import type { Clock } from '../../platform/clock.ts';
import type { JobDesk } from '../../retrace/job-desk.ts';
import type { ApiMiddleware } from '../context.ts';
import { jsonBodyUpTo } from '../middleware/json-body.ts';
import type { Route } from '../router.ts';
import { admitJobs, createRetraceHandlers, limitStarts } from './handler.ts';

/** Ten thousand anchors with all their fields. */
const BODY_BYTES_MAX = 5 << 20;

type Dependencies = {
  readonly desk?: JobDesk | null;
  readonly clock: Clock;
  readonly chains: readonly string[];
  readonly identify: ApiMiddleware;
};

/** Jobs of many traces, under /retrace. */
export const retraceRoutes = ({ desk = null, identify, ...rest }: Dependencies): readonly Route[] => {
  const jobs = createRetraceHandlers({ ...rest, desk });
  const admitted = [identify, admitJobs] as const;
  const starting = [...admitted, limitStarts(rest.clock)] as const;
  return [
    ['POST', '/retrace', ...starting, jsonBodyUpTo(BODY_BYTES_MAX), jobs.start],
    ['GET', '/retrace/:id', ...admitted, jobs.show],
    ['DELETE', '/retrace/:id', ...admitted, jobs.cancel],
    ['POST', '/retrace/:id/again', ...starting, jobs.again],
    ['GET', '/retrace/:id/results', ...admitted, jobs.results],
    ['GET', '/retrace/:id/results.csv', ...admitted, jobs.file],
  ];
};
