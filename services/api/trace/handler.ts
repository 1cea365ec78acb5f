import type { Backfills } from '../../investigate/model/backfills.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import { trace } from '../../investigate/trace/trace.ts';
import type { Clock } from '../../platform/clock.ts';
import { wholeHistory } from '../asking/ask-in-time.ts';
import { BEING_READ, READ_IN_PART } from '../asking/being-read.ts';
import type { RunQuestion } from '../asking/run-question.ts';
import type { ApiMiddleware } from '../context.ts';
import { validate } from '../validate.ts';
import { presentTrace } from './presenter.ts';
import { createTraceSchema } from './schema.ts';

export type TraceRouteDependencies = {
  readonly traceReader: TraceReader;
  readonly prices: PriceReader;
  readonly clock: Clock;
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly runQuestion: RunQuestion;
  /** Read at each call. */
  readonly backfills: () => Backfills;
};

/** POST /trace. */
export const createTraceHandler = ({
  traceReader: reader,
  prices,
  clock,
  chains,
  runQuestion,
  backfills,
}: TraceRouteDependencies): ApiMiddleware => {
  const schema = createTraceSchema(chains, clock);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { signal } = ctx.state;
    const { chain, wallet, budgetMs } = request;
    const lastRead = () => backfills().lastBackfill(chain.name, wallet);
    ctx.body = await runQuestion(ctx, {
      ...{ tariff: 'trace', chain, budgetMs },
      answer: () => trace(request, { reader, prices, signal }),
      missing: ({ anchor }, known) =>
        anchor.verified || known.lastBackfill(chain.name, wallet) !== null ? [] : [wholeHistory(wallet)],
      free: ({ scope }) => (scope === 'no_data' ? scope : null),
      addresses: () => [wallet, request.counterparty],
      present: (traced, { beingRead }) => {
        const isReadInPart = (lastRead()?.missing ?? 'nothing') !== 'nothing';
        const readInPart = isReadInPart ? READ_IN_PART : null;
        const gap = beingRead.length > 0 ? BEING_READ : readInPart;
        return presentTrace(traced, { gap: traced.anchor.verified ? null : gap });
      },
    });
  };
};
