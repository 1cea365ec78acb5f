import type { Backfills } from '../../investigate/model/backfills.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import { trace } from '../../investigate/trace/trace.ts';
import type { Trace, TraceRequest } from '../../investigate/trace/trace-answer.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Asker, type AskForWallet, askerOf, askInTime } from '../ask-in-time.ts';
import { BEING_READ, READ_IN_PART } from '../being-read.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import { validate } from '../validate.ts';
import { presentTrace } from './presenter.ts';
import { createTraceSchema } from './schema.ts';

export type TraceRouteDependencies = {
  readonly traceReader: TraceReader;
  readonly prices: PriceReader;
  readonly clock: Clock;
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly chargeCall: ChargeCall;
  /** Read at each call. */
  readonly backfills: () => Backfills;
  readonly askForWallet: AskForWallet;
};

/** POST /trace. */
export const createTraceHandler = ({
  traceReader: reader,
  prices,
  clock,
  chains,
  chargeCall,
  backfills,
  askForWallet,
}: TraceRouteDependencies): ApiMiddleware => {
  const schema = createTraceSchema(chains, clock);
  const ask = askInTime(askForWallet);
  /**
   * The missing part of a wallet's history when its anchor is not indexed; null if the history is complete,
   * or unknown.
   */
  const findGap = async ({ chain, wallet }: TraceRequest, known: Backfills, asker: Asker) => {
    const read = known.lastBackfill(chain.name, wallet);
    if (read === null) return (await ask(chain.name, wallet, asker)) ? BEING_READ : null;
    return read.missing === 'nothing' ? null : READ_IN_PART;
  };
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    const known = backfills();
    ctx.body = await chargeCall({ caller, tariff: 'trace' }, async () => {
      const traced = await trace(request, { reader, prices, signal });
      const free = freeReason(traced);
      const asker = askerOf(ctx.state, free !== null);
      const gap = traced.anchor.verified ? null : await findGap(request, known, asker);
      return { answer: presentTrace(traced, { gap }), free };
    });
  };
};

const freeReason = ({ scope }: Trace): 'no_data' | null => (scope === 'no_data' ? scope : null);
