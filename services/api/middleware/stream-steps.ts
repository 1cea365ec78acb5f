import { presentAddress } from '../../investigate/model/address.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import type { ReadingEvent } from '../asking/read-missing.ts';
import type { ApiMiddleware } from '../context.ts';
import { listenerOf } from '../paid/carrier.ts';
import { describeError } from './handle-errors.ts';

/** Proxies end connections that are silent for a minute or less. */
const ALIVE_MS = 15_000;

/**
 * With `Accept: text/event-stream` a call sends what it has read as events `step` while it works, and then one `answer`
 * with the body as without, or one `error` with its status inside. Whatever is refused before the first step keeps its
 * own status. Who leaves ends the reading.
 */
export const streamSteps: ApiMiddleware = async (ctx, next) => {
  const hear = listenerOf(ctx.req);
  if (hear !== null) ctx.state.onReading = (chain, event) => hear(toStep(chain, event));
  if (ctx.accepts('application/json', 'text/csv', 'text/event-stream') !== 'text/event-stream') return next();
  const events = openEvents(ctx);
  ctx.state.onReading = (chain, event) => events.send('step', toStep(chain, event));
  try {
    await next();
    events.send('answer', withReceipt(ctx.body as object, ctx.state.paymentResponse));
  } catch (thrown) {
    if (!events.isOpen()) throw thrown;
    const { status, code, body } = describeError(thrown, ctx.state.requestId);
    ctx.state.errorCode = code;
    events.send('error', { ...withReceipt(body, ctx.state.paymentResponse), status });
  } finally {
    events.end();
  }
};

type Context = Parameters<ApiMiddleware>[0];

/** Opens the answer with the first event. */
const openEvents = (ctx: Context) => {
  let alive: NodeJS.Timeout | null = null;
  const write = (text: string): void => {
    if (!ctx.res.closed) ctx.res.write(text);
  };
  const open = (): void => {
    ctx.respond = false;
    ctx.status = 200;
    ctx.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
    ctx.flushHeaders();
    alive = setInterval(() => write(': working\n\n'), ALIVE_MS);
  };
  return {
    isOpen: () => alive !== null,
    send: (name: 'step' | 'answer' | 'error', data: object): void => {
      if (alive === null) open();
      write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    end: (): void => {
      if (alive === null) return;
      clearInterval(alive);
      ctx.res.end();
    },
  };
};

/** The head of the answer has gone before a payment is settled. */
const withReceipt = (body: object, receipt: string | undefined): object =>
  receipt === undefined ? body : { ...body, payment_response: receipt };

const toStep = (chain: Chain, { kind, wanted }: ReadingEvent) => ({
  ...{ kind, chain: chain.name, address: presentAddress(chain, wanted.address) },
  seconds_left: kind === 'reading' ? wanted.withinSeconds : null,
});
