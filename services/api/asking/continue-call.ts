import { randomUUID } from 'node:crypto';
import type { TariffName } from '../../credits/decider/tariffs.ts';
import { hashRequest } from '../../payments/offer/bind-request.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import type { Caller } from '../context.ts';
import { ApiError } from '../errors.ts';
import { admit } from '../paid/caller.ts';
import type { ChargeCall, WorkDone } from '../paid/charge-call.ts';
import { createPlaces } from '../places.ts';
import { invalid } from '../validate.ts';
import { BEARER, type Continuations, type Continued } from './continuation.ts';

/** What was paid for is worked on until then. */
const LASTS_MS = 86_400_000;
/** Calls that go on at once, here and of each payer: as many as may be charged at once. */
const PLACES = { all: 24, each: 3 };
/** How often one call goes on: what is read at once, and then one each ten minutes of its day. */
const OFTEN = { burst: 30, everyMs: 600_000 };

const MESSAGES = {
  foreign: 'was not given for this request: send the body of the first call with it',
  old: 'is older than a day: ask without it',
  others: 'belongs to a call that somebody else paid for',
};

export type ContinuedCall = {
  readonly caller: Caller;
  readonly tariff: TariffName;
  readonly path: string;
  /** As sent. */
  readonly body: unknown;
};

/** `isUnfinished`: more could be read with more time. */
export type WorkDoneSoFar<T> = WorkDone<T> & { readonly isUnfinished: boolean };
type Continuable<T> = T & { readonly continuation: string | null };

/**
 * Charges a call once, however often it goes on within a day: a continuation of a charged call is neither reserved nor
 * charged again. Throws what the work throws, what `ChargeCall` throws, and `ApiError`: `invalid_request` for a
 * continuation of another request, another payer or another day; `call_in_progress` while the same call goes on.
 */
export type ContinueCall = <T extends object>(
  call: ContinuedCall,
  work: (going: { readonly isCharged: boolean }) => Promise<WorkDoneSoFar<T>>,
) => Promise<Continuable<T>>;

export const createContinueCall = (dependencies: {
  readonly chargeCall: ChargeCall;
  readonly continuations: Continuations;
  readonly clock: Clock;
  /** Whether a call can be bound to a key, so that it runs once however often it is sent. */
  readonly bindsCalls: boolean;
}): ContinueCall => {
  const { chargeCall, continuations, clock, bindsCalls } = dependencies;
  const places = createPlaces(PLACES);
  const often = createRateLimit(OFTEN, clock);
  const running = new Set<string>();

  const open = (caller: Caller, text: string, requestHash: string): Continued => {
    const refuse = (message: string): ApiError => invalid({ path: 'continuation', message });
    const call = continuations.open(text, requestHash);
    if (call === null) throw refuse(MESSAGES.foreign);
    if (call.untilUnixMs <= clock.nowUnixMs()) throw refuse(MESSAGES.old);
    if (call.payer !== payerOf(caller)) throw refuse(MESSAGES.others);
    return call;
  };

  const goOn = async <T>({ callId, payer }: Continued, work: () => Promise<T>): Promise<T> => {
    if (running.has(callId)) throw new ApiError('call_in_progress', RUNNING);
    const leave = places.take(payer === BEARER ? callId : payer);
    if (leave === null) throw new ApiError('too_many_calls', { headers: { 'Retry-After': '1' } });
    running.add(callId);
    try {
      const seconds = often.take(callId);
      if (seconds > 0) throw tooOften(seconds);
      return await work();
    } finally {
      running.delete(callId);
      leave();
    }
  };

  return async (call, work) => {
    const { caller, tariff, path, body } = call;
    const admitted = admit(caller);
    const { sent, rest } = splitBody(body);
    const requestHash = hashRequest(path, rest);
    const before = sent === null ? null : open(admitted, sent, requestHash);
    const finish = <T extends object>(done: WorkDoneSoFar<T>, of: Continued): Continuable<T> => ({
      ...done.answer,
      continuation: done.isUnfinished ? continuations.seal(of, requestHash) : null,
    });
    if (before?.isCharged) return goOn(before, async () => finish(await work({ isCharged: true }), before));
    const first = {
      callId: randomUUID(),
      payer: payerOf(admitted),
      untilUnixMs: clock.nowUnixMs() + LASTS_MS,
    };
    const isBound = bindsCalls && before !== null;
    const charged = isBound ? bindTo(before, admitted, { path, body }) : admitted;
    return chargeCall({ caller: charged, tariff }, async () => {
      const done = await work({ isCharged: false });
      const isCharged = done.free === null && admitted.kind !== 'anyone';
      return { free: done.free, answer: finish(done, { ...first, isCharged }) };
    });
  };
};

const RUNNING = {
  sentence: 'This call is going on already. Send its continuation again when it has answered.',
  headers: { 'Retry-After': '1' },
};

const tooOften = (seconds: number): ApiError =>
  new ApiError('too_many_calls', {
    sentence:
      'This call went on very often. Wait as long as Retry-After says, or ask without its continuation.',
    headers: { 'Retry-After': String(seconds) },
  });

/** One that was not charged yet is charged once, though it is sent twice at the same time. */
const bindTo = (
  { callId }: Continued,
  caller: Caller,
  { path, body }: Pick<ContinuedCall, 'path' | 'body'>,
): Caller =>
  caller.kind === 'account' && !caller.once
    ? { ...caller, once: { key: `continuation ${callId}`, path, body: () => body } }
    : caller;

const payerOf = (caller: Caller): string =>
  caller.kind === 'account' ? `account:${caller.accountId}` : caller.kind === 'payer' ? BEARER : caller.kind;

/** The request without what continues it. The body was validated before. */
const splitBody = (body: unknown): { readonly sent: string | null; readonly rest: object } => {
  const { continuation, ...rest } = body as { readonly continuation?: string };
  return { sent: continuation ?? null, rest };
};
