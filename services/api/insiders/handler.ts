import { findInsiders } from '../../investigate/insiders/find-insiders.ts';
import type { InsidersDependencies } from '../../investigate/insiders/insiders-reader.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { validate } from '../validate.ts';
import { presentInsiders } from './presenter.ts';
import { createInsidersSchema } from './schema.ts';

export type InsidersRouteDependencies = Omit<InsidersDependencies, 'signal'> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly chargeCall: ChargeCall;
  readonly arePricesPending: ArePricesPending;
};

/** POST /insiders. */
export const createInsidersHandler = ({
  chains,
  chargeCall,
  arePricesPending,
  ...ports
}: InsidersRouteDependencies): ApiMiddleware => {
  const schema = createInsidersSchema(chains);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    ctx.body = await chargeCall({ caller, tariff: 'insiders' }, async () => {
      const report = await findInsiders(request, { ...ports, signal });
      return {
        answer: presentInsiders(report, { arePricesPending }),
        free: report.scope === 'no_data' ? 'no_data' : null,
      };
    });
  };
};
