import { follow } from '../../investigate/follow/follow.ts';
import type { FollowDependencies } from '../../investigate/follow/follow-reader.ts';
import { followGraph } from '../../investigate/follow/graph/follow-graph.ts';
import type { Trail } from '../../investigate/follow/trail.ts';
import type { Backfills } from '../../investigate/model/backfills.ts';
import { type AskForWallet, askerOf, askInTime } from '../ask-in-time.ts';
import type { ApiMiddleware } from '../context.ts';
import { createLine } from '../create-line.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import type { ArePricesPending } from '../present-basis.ts';
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

/** POST /follow. */
export const createFollowHandler = ({
  chains,
  chargeCall,
  arePricesPending,
  backfills,
  askForWallet,
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
        const graph = await flows(caller, signal, () =>
          followGraph(call.request, { ...ports, backfills: backfills(), signal }),
        );
        const free = isNothingKnown(graph) ? 'no_data' : null;
        const asker = askerOf(ctx.state, free !== null);
        const unread = graph.nodes.filter(({ end }) => end === 'no_data').slice(0, ASKED_PER_FLOW_MAX);
        const asked = await Promise.all(
          unread.map(async ({ address }) =>
            (await ask(call.request.chain.name, address, asker)) ? [address] : [],
          ),
        );
        return {
          answer: await presentGraph(graph, { chains, beingRead: asked.flat(), arePricesPending }),
          free,
        };
      });
      return;
    }
    const { request } = call;
    ctx.body = await chargeCall({ caller, tariff: 'follow' }, async () => {
      const trail = await trails(caller, signal, () =>
        follow(request, { ...ports, backfills: backfills(), signal }),
      );
      const { chain, end } = trail;
      const isUnread = end.reason === 'no_data' && end.because === 'unread';
      const free = failsAtStart(trail) ? 'no_data' : null;
      const asker = askerOf(ctx.state, free !== null);
      const isBeingRead = isUnread && (await ask(chain.name, end.address, asker));
      const { maxHops } = request;
      return { answer: presentTrail(trail, { isBeingRead, chains, maxHops, arePricesPending }), free };
    });
  };
};
