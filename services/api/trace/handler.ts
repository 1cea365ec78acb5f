import type { Histories } from '../../investigate/model/histories.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import { completeTrace, prepareTrace } from '../../investigate/trace/trace.ts';
import type { TraceRequest } from '../../investigate/trace/trace-answer.ts';
import type { Clock } from '../../platform/clock.ts';
import { type AskForWallet, askInTime } from '../ask-in-time.ts';
import { BEING_READ, READ_IN_PART } from '../being-read.ts';
import type { ApiMiddleware, Caller } from '../context.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import { hasPayment } from '../paid/pay-for.ts';
import { validate } from '../validate.ts';
import { presentTrace } from './presenter.ts';
import { createTraceSchema } from './schema.ts';

export type TraceRouteDependencies = {
  readonly traceReader: TraceReader;
  readonly prices: PriceReader;
  readonly clock: Clock;
  /** Names of the chains that requests may ask for. */
  readonly chains: readonly string[];
  readonly chargeCall: ChargeCall;
  /** As of the call. */
  readonly histories: () => Histories;
  readonly askForWallet: AskForWallet;
};

/** POST /trace. */
export const createTraceHandler = ({
  traceReader: reader,
  prices,
  clock,
  chains,
  chargeCall,
  histories,
  askForWallet,
}: TraceRouteDependencies): ApiMiddleware => {
  const schema = createTraceSchema(chains, clock);
  const ask = askInTime(askForWallet);
  /** What is missing of a wallet whose anchor is not indexed; null where its history is known whole, or nobody can tell it. */
  const findGap = async ({ chain, wallet }: TraceRequest, known: Histories) => {
    const read = known.lastRead(chain.name, wallet);
    if (read === null) return (await ask(chain.name, wallet)) ? BEING_READ : null;
    return read.missing === 'nothing' ? null : READ_IN_PART;
  };
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    const known = histories();
    const ahead = mayPay(caller, clock.nowUnixMs());
    // What cannot be traced is said before anybody is asked to pay for it; it takes a few point look-ups to know.
    const prepared = await prepareTrace(request, { reader, prices, signal }, { ahead });
    try {
      ctx.body = await chargeCall({ caller, tariff: 'trace' }, async () => {
        const trace = await completeTrace(prepared);
        return {
          answer: presentTrace(trace, { gap: trace.anchor.verified ? null : await findGap(request, known) }),
          free: trace.scope === 'no_data' ? 'no_data' : null,
        };
      });
    } finally {
      // Who cannot pay never comes to the search.
      prepared.stop();
    }
  };
};

/**
 * Who showed nothing to pay with is told the price, and is not worth more than that look-up. Throws `ApiError`
 * `invalid_payment`: what cannot be read pays for nothing.
 */
const mayPay = (caller: Caller, nowUnixMs: number): boolean =>
  caller.kind === 'payer' ? hasPayment(caller.exchange, nowUnixMs) : caller.kind !== 'unknown';
