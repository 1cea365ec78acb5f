import { findInsiders } from '../../investigate/insiders/find-insiders.ts';
import type { InsidersDependencies } from '../../investigate/insiders/insiders-reader.ts';
import type { RunQuestion } from '../asking/run-question.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { validate } from '../validate.ts';
import { presentInsiders } from './presenter.ts';
import { createInsidersSchema } from './schema.ts';

export type InsidersRouteDependencies = Omit<InsidersDependencies, 'signal'> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly runQuestion: RunQuestion;
  readonly arePricesPending: ArePricesPending;
};

/** POST /insiders. */
export const createInsidersHandler = ({
  chains,
  runQuestion,
  arePricesPending,
  ...ports
}: InsidersRouteDependencies): ApiMiddleware => {
  const schema = createInsidersSchema(chains);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { signal } = ctx.state;
    const { chain, token, budgetMs } = request;
    ctx.body = await runQuestion(ctx, {
      ...{ tariff: 'insiders', chain, budgetMs },
      answer: () => findInsiders(request, { ...ports, signal }),
      missing: () => [],
      free: ({ scope }) => (scope === 'no_data' ? scope : null),
      addresses: () => [token],
      present: (report) => presentInsiders(report, { arePricesPending }),
    });
  };
};
