import { FOLLOW_LIMITS, type FollowLimits, follow } from '../../investigate/follow/follow.ts';
import type { FollowDependencies } from '../../investigate/follow/follow-reader.ts';
import { followGraph } from '../../investigate/follow/graph/follow-graph.ts';
import type { Trail } from '../../investigate/follow/trail.ts';
import type { Backfills } from '../../investigate/model/backfills.ts';
import { type AskForWallet, askerOf, askInTime } from '../ask-in-time.ts';
import type { ApiMiddleware } from '../context.ts';
import { createLine } from '../create-line.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { readMissing } from '../read-missing.ts';
import { validate } from '../validate.ts';
import { isNothingKnown, presentGraph } from './present-graph.ts';
import { presentTrail } from './presenter.ts';
import { createFollowSchema } from './schema.ts';

export type FollowRouteDependencies = Pick<
  FollowDependencies,
  'reader' | 'prices' | 'assets' | 'clock' | 'holdings'
> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly chargeCall: ChargeCall;
  readonly arePricesPending: ArePricesPending;
  /** Read at each call. */
  readonly backfills: () => Backfills;
  readonly askForWallet: AskForWallet;
  /** How long a call may take that has wallets read; 0: it tells which are missing at once. */
  readonly waitForWalletsMs: number;
};

/** A flow may reach hundreds of unread wallets. Only those with the most money are asked for. */
const ASKED_PER_FLOW_MAX = 3;

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

/** Nothing is known of the first wallet, so the trail is free. */
const failsAtStart = ({ hops, end }: Trail): boolean =>
  hops.length === 0 && end.reason === 'no_data' && end.because !== 'left_out';

/** The time that is left after wallets were read. */
const limitsWithin = (leftMs: number): FollowLimits => ({
  ...FOLLOW_LIMITS,
  budgetMs: Math.min(leftMs, FOLLOW_LIMITS.budgetMs),
});

/** POST /follow. */
export const createFollowHandler = ({
  chains,
  chargeCall,
  arePricesPending,
  backfills,
  askForWallet,
  waitForWalletsMs,
  ...ports
}: FollowRouteDependencies): ApiMiddleware => {
  const schema = createFollowSchema(chains, ports.clock);
  const ask = askInTime(askForWallet);
  const [trails, flows] = [createLine(TRAILS), createLine(FLOWS)];
  return async (ctx) => {
    const call = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    if (call.type === 'graph') {
      ctx.body = await chargeCall({ caller, tariff: 'follow' }, async () => {
        const { chain, budget } = call.request;
        const { answer: graph, beingRead } = await readMissing({
          ...{ chain: chain.name, backfills, signal },
          budgetMs: Math.min(budget.seconds * 1_000, waitForWalletsMs),
          answer: (leftMs) => {
            const seconds = Math.min(budget.seconds, Math.max(1, leftMs / 1_000));
            const request = { ...call.request, budget: { ...budget, seconds } };
            return flows(caller, signal, () =>
              followGraph(request, { ...ports, backfills: backfills(), signal }),
            );
          },
          missing: ({ nodes }) =>
            nodes
              .flatMap(({ address, end }) => (end === 'no_data' ? [address] : []))
              .slice(0, ASKED_PER_FLOW_MAX),
          ask: (address, graph) => ask(chain.name, address, askerOf(ctx.state, isNothingKnown(graph))),
        });
        const free = isNothingKnown(graph) ? 'no_data' : null;
        return {
          answer: await presentGraph(graph, { chains, beingRead: [...beingRead], arePricesPending }),
          free,
        };
      });
      return;
    }
    const { request } = call;
    ctx.body = await chargeCall({ caller, tariff: 'follow' }, async () => {
      const { answer: trail, beingRead } = await readMissing({
        ...{ chain: request.chain.name, backfills, signal, budgetMs: waitForWalletsMs },
        answer: (leftMs) =>
          trails(caller, signal, () =>
            follow(request, { ...ports, backfills: backfills(), signal }, limitsWithin(leftMs)),
          ),
        missing: ({ end }) => (end.reason === 'no_data' && end.because === 'unread' ? [end.address] : []),
        ask: (address, trail) => ask(request.chain.name, address, askerOf(ctx.state, failsAtStart(trail))),
      });
      const free = failsAtStart(trail) ? 'no_data' : null;
      const { maxHops } = request;
      const isBeingRead = beingRead.length > 0;
      return { answer: presentTrail(trail, { isBeingRead, chains, maxHops, arePricesPending }), free };
    });
  };
};
