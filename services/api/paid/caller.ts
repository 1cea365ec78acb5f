import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, ParameterizedContext } from 'koa';
import type { Directory } from '../../accounts/directory.ts';
import type { Payer } from '../../credits/decider/state.ts';
import type { CallerAddress } from '../caller-address.ts';
import type {
  AccountCaller,
  ApiMiddleware,
  ApiState,
  Caller,
  OnceRequest,
  PaymentExchange,
  WhyUnknown,
} from '../context.ts';
import { ApiError } from '../errors.ts';
import { carrierOf } from './carrier.ts';

/** Longer than a working log takes to answer. */
const MOMENT_MS = 250;
const LOOK_MS = 5;

export const payerOf = ({ accountId }: AccountCaller): Payer => `account:${accountId}`;

type CallerDependencies = {
  readonly directory: Directory;
  /** Whether calls without a key are free. */
  readonly isOpen: () => boolean;
  /** Whether calls can be paid by x402. */
  readonly takesPayments: boolean;
  /** The service's address as users see it; null: as the request says. */
  readonly publicUrl?: URL | null;
};

/** Finds out who calls. Refuses nobody, because errors of the request itself go first. */
export const identifyCaller =
  ({ directory, isOpen, takesPayments, publicUrl = null }: CallerDependencies): ApiMiddleware =>
  async (ctx, next) => {
    const sent = sentKey(ctx);
    if (sent === null && takesPayments)
      ctx.state.caller = { kind: 'payer', exchange: exchangeOf(ctx, publicUrl) };
    else if (sent === null) ctx.state.caller = isOpen() ? anyone(ctx.state.from) : unknown('key_missing');
    else if (!(await isCurrentSoon(directory))) ctx.state.caller = unknown('keys_unknown');
    else {
      const key = directory.find(sent);
      ctx.state.caller = key
        ? {
            kind: 'account',
            accountId: key.accountId,
            keyId: key.id,
            once: onceOf(ctx),
            isGone: async () => {
              await untilTurn(ctx.res);
              return ctx.res.closed || !ctx.writable || carrierOf(ctx.req, ctx.res).closed;
            },
          }
        : unknown('key_invalid');
    }
    return next();
  };

/** A process that was busy or suspended must first catch up with the log. */
const isCurrentSoon = async (directory: Directory): Promise<boolean> => {
  const endMs = performance.now() + MOMENT_MS;
  while (!directory.isCurrent() && performance.now() < endMs) await sleep(LOOK_MS);
  return directory.isCurrent();
};

/** Pipelined calls are worked on in parallel and answered in order. */
const untilTurn = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.socket !== null || response.closed) return resolve();
    response.once('socket', () => resolve()).once('close', resolve);
  });

/** What a payment needs from a request. */
export const exchangeOf = (ctx: ParameterizedContext<ApiState>, publicUrl: URL | null): PaymentExchange => ({
  from: ctx.state.from.name,
  sent: headerOf(ctx, 'payment-signature'),
  path: ctx.path,
  url: (publicUrl?.origin ?? `${ctx.protocol}://${ctx.host}`) + ctx.path,
  body: () => ctx.state.body,
  setHeader: (name, value) => {
    // The head of a stream may have gone.
    if (name === 'PAYMENT-RESPONSE') ctx.state.paymentResponse = value;
    ctx.set(name, value);
  },
  onSent: (hear) => void carrierOf(ctx.req, ctx.res).once('finish', hear),
  keepWorking: () => ctx.state.keepWorking(),
});

const onceOf = (ctx: ParameterizedContext<ApiState>): OnceRequest | null => {
  const key = headerOf(ctx, 'idempotency-key');
  return key === null ? null : { key, path: ctx.path, body: () => ctx.state.body };
};

/** null without any. Different keys are refused: which one counts must not be a guess. */
const onlyOf = (values: readonly string[]): string | null => {
  const [value = null, ...others] = new Set(values);
  return others.length > 0 ? '' : value;
};

/** An empty key is refused later: its sender believes that the call is charged once, or paid. */
const headerOf = ({ req }: Pick<Context, 'req'>, name: string): string | null =>
  onlyOf(req.headersDistinct[name] ?? []);

const anyone = ({ name, isLocal }: CallerAddress): Caller => ({
  kind: 'anyone',
  from: isLocal ? null : name,
});
const unknown = (why: WhyUnknown): Caller => ({ kind: 'unknown', why });

/** null without either header. */
const sentKey = ({ req }: Pick<Context, 'req'>): string | null => {
  const { authorization = [], 'x-api-key': plain = [] } = req.headersDistinct;
  return onlyOf([...authorization.map(bearerOf), ...plain]);
};

/** Another scheme gives a key that opens nothing. */
const bearerOf = (authorization: string): string => /^Bearer +([^ ]+)$/i.exec(authorization)?.[1] ?? '';

const SENTENCES = {
  key_missing: 'This address needs a key, sent as "Authorization: Bearer <key>" or "x-api-key: <key>".',
  key_invalid: 'The key is not valid, or it was revoked.',
} as const;

/** Throws `ApiError` `unauthorized`, `unavailable` for callers without access. */
export const admit = (caller: Caller): Exclude<Caller, { kind: 'unknown' }> => {
  if (caller.kind !== 'unknown') return caller;
  throw turnAway(caller.why);
};

/** For routes that need an account. Throws `ApiError` `unauthorized`, `unavailable`. */
export const admitAccount = (caller: Caller): AccountCaller => {
  if (caller.kind === 'account') return caller;
  throw turnAway(caller.kind === 'unknown' ? caller.why : 'key_missing');
};

const turnAway = (why: WhyUnknown): ApiError =>
  why === 'keys_unknown'
    ? new ApiError('unavailable')
    : new ApiError('unauthorized', {
        sentence: SENTENCES[why],
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
