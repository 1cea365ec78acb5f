import { findInsiders } from '../../investigate/insiders/find-insiders.ts';
import type { InsidersDependencies } from '../../investigate/insiders/insiders-reader.ts';
import { isTokenReadSince, TOKEN_SIDE } from '../../investigate/insiders/token-history.ts';
import type { Backfills } from '../../investigate/model/backfills.ts';
import { wholeHistory } from '../asking/ask-in-time.ts';
import type { RunQuestion } from '../asking/run-question.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { validate } from '../validate.ts';
import { presentInsiders } from './presenter.ts';
import { createInsidersSchema } from './schema.ts';

export type InsidersRouteDependencies = Omit<InsidersDependencies, 'signal' | 'isReadSince'> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly runQuestion: RunQuestion;
  readonly arePricesPending: ArePricesPending;
  /** Read at each call. */
  readonly backfills: () => Backfills;
};

/** POST /insiders. */
export const createInsidersHandler = ({
  chains,
  runQuestion,
  arePricesPending,
  backfills,
  ...ports
}: InsidersRouteDependencies): ApiMiddleware => {
  const schema = createInsidersSchema(chains);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { signal } = ctx.state;
    const { chain, token, budgetMs } = request;
    ctx.body = await runQuestion(ctx, {
      ...{ tariff: 'insiders', chain, budgetMs },
      answer: () => {
        const known = backfills();
        const isReadSince: InsidersDependencies['isReadSince'] = (first, span) =>
          isTokenReadSince(chain, token, known, { first, span });
        return findInsiders(request, { ...ports, isReadSince, signal });
      },
      missing: ({ scope, launch, span }, known) => {
        const isIndexed = span?.beginsChain === true || (scope === 'full' && launch !== null);
        const isRead = isTokenReadSince(chain, token, known, { first: 0, span });
        if (isIndexed || isRead || !known.canBackfill(chain.name)) return [];
        return [{ ...wholeHistory(token), side: TOKEN_SIDE, order: 'oldest' }];
      },
      free: ({ scope }) => (scope === 'no_data' ? scope : null),
      addresses: () => [token],
      present: (report) => presentInsiders(report, { arePricesPending }),
    });
  };
};
