import { follow } from '../../investigate/follow/follow.ts';
import type { Trail } from '../../investigate/follow/trail.ts';
import type { AssetReader } from '../../investigate/model/asset-reader.ts';
import type { Histories } from '../../investigate/model/histories.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import type { Clock } from '../../platform/clock.ts';
import { type AskForWallet, askInTime } from '../ask-in-time.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import { validate } from '../validate.ts';
import { presentTrail } from './presenter.ts';
import { createFollowSchema } from './schema.ts';

export type FollowRouteDependencies = {
  readonly reader: TransferReader;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  readonly clock: Clock;
  /** Names of the chains that requests may ask for. */
  readonly chains: readonly string[];
  readonly chargeCall: ChargeCall;
  /** As of the call. */
  readonly histories: () => Histories;
  readonly askForWallet: AskForWallet;
};

/** Nothing is known of the first wallet: there is no trail to pay for. */
const failsAtStart = ({ hops, end }: Trail): boolean => hops.length === 0 && end.reason === 'no_data';

/** POST /follow. */
export const createFollowHandler = ({
  reader,
  prices,
  assets,
  clock,
  chains,
  chargeCall,
  histories,
  askForWallet,
}: FollowRouteDependencies): ApiMiddleware => {
  const schema = createFollowSchema(chains, clock);
  const ask = askInTime(askForWallet);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    ctx.body = await chargeCall({ caller, tariff: 'follow' }, async () => {
      const known = histories();
      const trail = await follow(request, { reader, prices, assets, histories: known, clock, signal });
      const { chain, end } = trail;
      const isUnread = end.reason === 'no_data' && end.because === 'unread';
      const isBeingRead = isUnread && (await ask(chain.name, end.address));
      return { answer: presentTrail(trail, { isBeingRead }), free: failsAtStart(trail) ? 'no_data' : null };
    });
  };
};
