import { follow } from '../../investigate/follow/follow.ts';
import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiMiddleware } from '../context.ts';
import { validate } from '../validate.ts';
import { presentTrail } from './presenter.ts';
import { createFollowSchema } from './schema.ts';

export type FollowRouteDependencies = {
  readonly reader: TransferReader;
  readonly clock: Clock;
  /** Names of the chains that requests may ask for. */
  readonly chains: readonly string[];
};

/** POST /follow. */
export const createFollowHandler = ({ reader, clock, chains }: FollowRouteDependencies): ApiMiddleware => {
  const schema = createFollowSchema(chains);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const trail = await follow(request, { reader, clock, signal: ctx.state.signal });
    ctx.set('Cache-Control', 'no-store');
    ctx.body = presentTrail(trail);
  };
};
