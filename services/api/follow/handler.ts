import { FOLLOW_LIMITS, type FollowLimits, follow } from '../../investigate/follow/follow.ts';
import type { FollowDependencies } from '../../investigate/follow/follow-reader.ts';
import type { FlowGraph, FlowRequest } from '../../investigate/follow/graph/flow-graph.ts';
import { followGraph } from '../../investigate/follow/graph/follow-graph.ts';
import type { Rest } from '../../investigate/follow/rest.ts';
import type { FollowRequest, Trail } from '../../investigate/follow/trail.ts';
import type { Address } from '../../investigate/model/address.ts';
import type { Backfills } from '../../investigate/model/backfills.ts';
import { type Wanted, wholeHistory } from '../asking/ask-in-time.ts';
import type { Timed } from '../asking/reading-fields.ts';
import type { Question, RunQuestion } from '../asking/run-question.ts';
import type { IssuedAnswers } from '../cases/issued-answers.ts';
import type { ApiMiddleware, ApiState } from '../context.ts';
import { createLine } from '../create-line.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { validate } from '../validate.ts';
import { isNothingKnown, presentGraph } from './present-graph.ts';
import { presentTrail } from './presenter.ts';
import { createFollowSchema } from './schema.ts';

export type FollowRouteDependencies = Pick<
  FollowDependencies,
  'reader' | 'prices' | 'assets' | 'clock' | 'holdings' | 'control'
> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly runQuestion: RunQuestion;
  /** Whole flows, which cases keep. */
  readonly issued: Pick<IssuedAnswers, 'note'>;
  readonly arePricesPending: ArePricesPending;
  /** Read at each call. */
  readonly backfills: () => Backfills;
};

/** A flow may reach hundreds of unread wallets. Those with the most money are asked for first. */
const ASKED_AT_ONCE_MAX = 8;

/** A reservation lasts half a minute longer than the longest work, so that a call must not wait long. */
const WAIT_MS = 5_000;
/** Both keep what they read in memory, a flow far more than a trail. */
const TRAILS = {
  ...{ atOnceMax: 10, waitingMax: 200, eachMax: Number.POSITIVE_INFINITY, waitMs: WAIT_MS },
  sentence: 'Too many trails are being followed.',
};
const FLOWS = {
  ...{ atOnceMax: 2, waitingMax: 30, eachMax: 3, waitMs: WAIT_MS },
  sentence: 'Too many flows are being followed.',
};

/** Transactions of one reading, of a busy wallet too: what arrived may leave with the next. */
const AT_ONCE_MAX = 200;
const wantedOf = (address: Address, rest: Rest | null, isStart: boolean): Wanted => {
  const whole = wholeHistory(address);
  // Of a start nobody knows where its money came, so there is no rest to read.
  return isStart ? { ...whole, ...rest } : { ...whole, limit: AT_ONCE_MAX, ...rest };
};

/** Nothing is known of the first wallet, so the trail is free. */
const failsAtStart = ({ hops, end }: Trail): boolean =>
  hops.length === 0 && end.reason === 'no_data' && end.because !== 'left_out';

/** The time that is left after wallets were read. */
const limitsWithin = (leftMs: number): FollowLimits => ({
  ...FOLLOW_LIMITS,
  budgetMs: Math.min(leftMs, FOLLOW_LIMITS.budgetMs),
});

type Asked = Pick<ApiState, 'caller' | 'signal'>;

/** POST /follow. */
export const createFollowHandler = (dependencies: FollowRouteDependencies): ApiMiddleware => {
  const { chains, runQuestion, issued } = dependencies;
  const schema = createFollowSchema(chains, dependencies.clock);
  const lines = { trails: createLine(TRAILS), flows: createLine(FLOWS) };
  return async (ctx) => {
    const call = validate(schema, ctx.state.body);
    if (call.type === 'graph') {
      const answer = await runQuestion(ctx, flowQuestion(dependencies, lines.flows, call.request, ctx.state));
      issued.note(answer);
      ctx.body = answer;
    } else
      ctx.body = await runQuestion(ctx, trailQuestion(dependencies, lines.trails, call.request, ctx.state));
  };
};

type Line = ReturnType<typeof createLine>;

const trailQuestion = (
  { chains, arePricesPending, backfills, runQuestion, issued: _, ...ports }: FollowRouteDependencies,
  line: Line,
  request: Timed<FollowRequest>,
  { caller, signal }: Asked,
): Question<Trail, ReturnType<typeof presentTrail>> => ({
  ...{ tariff: 'follow', chain: request.chain, budgetMs: request.budgetMs },
  answer: (leftMs, isAgain) =>
    line(
      caller,
      signal,
      () => follow(request, { ...ports, backfills: backfills(), signal }, limitsWithin(leftMs)),
      { rests: !isAgain },
    ),
  missing: ({ hops, end }) =>
    end.reason === 'no_data' && end.because === 'unread'
      ? [wantedOf(end.address, end.rest ?? null, hops.length === 0)]
      : [],
  free: (trail) => (failsAtStart(trail) ? 'no_data' : null),
  addresses: ({ start, hops }) => [start, ...hops.map(({ to }) => to)],
  present: (trail, { beingRead }) => {
    const { maxHops } = request;
    return presentTrail(trail, { isBeingRead: beingRead.length > 0, chains, maxHops, arePricesPending });
  },
});

const flowQuestion = (
  { chains, arePricesPending, backfills, runQuestion, issued: _, ...ports }: FollowRouteDependencies,
  line: Line,
  request: FlowRequest,
  { caller, signal }: Asked,
): Question<FlowGraph, Awaited<ReturnType<typeof presentGraph>>> => ({
  ...{ tariff: 'follow', chain: request.chain, budgetMs: request.budget.seconds * 1_000 },
  answer: (leftMs, isAgain) => {
    const seconds = Math.min(request.budget.seconds, Math.max(1, leftMs / 1_000));
    const inTime = { ...request, budget: { ...request.budget, seconds } };
    const work = () => followGraph(inTime, { ...ports, backfills: backfills(), signal });
    return line(caller, signal, work, { rests: !isAgain });
  },
  missing: ({ nodes }) =>
    nodes
      .flatMap(({ address, end, unread, isStart }) =>
        end === 'no_data' ? [wantedOf(address, unread, isStart)] : [],
      )
      .slice(0, ASKED_AT_ONCE_MAX),
  free: (graph) => (isNothingKnown(graph) ? 'no_data' : null),
  addresses: ({ nodes }) => nodes.map(({ address }) => address),
  present: (graph, { beingRead }) => presentGraph(graph, { chains, beingRead, arePricesPending }),
});
