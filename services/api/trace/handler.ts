import type { Backfills } from '../../investigate/model/backfills.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import { trace } from '../../investigate/trace/trace.ts';
import type { Trace } from '../../investigate/trace/trace-answer.ts';
import type { Clock } from '../../platform/clock.ts';
import { type AskForWallet, askerOf, askInTime } from '../ask-in-time.ts';
import { BEING_READ, READ_IN_PART } from '../being-read.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import { readMissing } from '../read-missing.ts';
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
  /** How long a call may take that has its wallet read; 0: it does not wait. */
  readonly waitForWalletsMs: number;
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
  waitForWalletsMs,
}: TraceRouteDependencies): ApiMiddleware => {
  const schema = createTraceSchema(chains, clock);
  const ask = askInTime(askForWallet);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    ctx.body = await chargeCall({ caller, tariff: 'trace' }, async () => {
      const { chain, wallet } = request;
      const lastRead = () => backfills().lastBackfill(chain.name, wallet);
      const { answer: traced, beingRead } = await readMissing({
        ...{ chain: chain.name, backfills, signal, budgetMs: waitForWalletsMs },
        answer: () => trace(request, { reader, prices, signal }),
        missing: ({ anchor }, known) =>
          anchor.verified || known.lastBackfill(chain.name, wallet) !== null ? [] : [wallet],
        ask: (address, known) => ask(chain.name, address, askerOf(ctx.state, freeReason(known) !== null)),
      });
      const isReadInPart = (lastRead()?.missing ?? 'nothing') !== 'nothing';
      const readInPart = isReadInPart ? READ_IN_PART : null;
      const gap = beingRead.length > 0 ? BEING_READ : readInPart;
      return {
        answer: presentTrace(traced, { gap: traced.anchor.verified ? null : gap }),
        free: freeReason(traced),
      };
    });
  };
};

const freeReason = ({ scope }: Trace): 'no_data' | null => (scope === 'no_data' ? scope : null);
