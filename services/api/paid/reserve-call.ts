import { randomUUID } from 'node:crypto';
import type { Refusal } from '../../credits/decider/events.ts';
import type { Payer } from '../../credits/decider/state.ts';
import type { Purchase } from '../../credits/decider/tariffs.ts';
import { LedgerUnavailableError } from '../../credits/ledger.ts';
import { ApiError, type ApiErrorOptions, type ErrorCode } from '../errors.ts';
import { createTakeBack, type LedgerDependencies } from './take-back.ts';

type Call = {
  readonly payer: Payer;
  readonly tariff: Purchase;
  /** The key that was used; null for a payment. */
  readonly keyId: string | null;
  /** A reservation older than this belongs to a dead process. */
  readonly lastsMs: number;
};

/**
 * Reserves a call's price and one of its payer's three places. Throws `ApiError` `too_many_calls`,
 * `insufficient_credits`, `unavailable`; and `LedgerUnavailableError`, after which a reservation that took effect
 * is voided.
 */
export const createReserveCall = (dependencies: LedgerDependencies) => {
  const { ledger, clock } = dependencies;
  const takeBack = createTakeBack(dependencies);
  return async ({ payer, tariff, keyId, lastsMs }: Call) => {
    const callId = newCallId();
    const deadlineUnixMs = clock.nowUnixMs() + lastsMs;
    try {
      const command = { type: 'ReserveCall', callId, tariff, keyId, deadlineUnixMs } as const;
      const reserved = await ledger.submit(payer, command);
      if (reserved.status === 'refused') throw new ApiError(...REFUSED_AS[reserved.reason]);
    } catch (error) {
      if (error instanceof LedgerUnavailableError) void takeBack(payer, callId, deadlineUnixMs);
      throw error;
    }
    return { callId, deadlineUnixMs };
  };
};

/**
 * One flat string: `randomUUID` joins some twenty pieces, and the ledger, which remembers a million ids, would
 * keep them all.
 */
const newCallId = (): string => Buffer.from(randomUUID(), 'latin1').toString('latin1');

/** The reason of a refusal, as the API's error. */
const REFUSED_AS: Readonly<Record<Refusal, readonly [ErrorCode, ApiErrorOptions?]>> = {
  too_many_calls: ['too_many_calls', { headers: { 'Retry-After': '1' } }],
  too_many_unpaid_calls: [
    'too_many_calls',
    {
      sentence:
        'Too many calls of this account have failed or brought nothing within five minutes; calls that are charged make room for more.',
      headers: { 'Retry-After': '60' },
    },
  ],
  insufficient_credits: ['insufficient_credits'],
  // The command reached the ledger too late, or clocks differ by minutes.
  deadline_passed: ['unavailable'],
  deadline_too_far: ['unavailable'],
  memory_full: ['unavailable'],
  call_unknown: ['unavailable'],
};
