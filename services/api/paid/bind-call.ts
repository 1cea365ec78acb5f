import type { BoundCall } from '../../accounts/bound-calls.ts';
import { type IdempotencyKeys, idOf } from '../../accounts/idempotency-keys.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { Answers } from '../../payments/book/answers.ts';
import { hashRequest } from '../../payments/offer/bind-request.ts';
import type { AccountCaller, ApiLogger } from '../context.ts';
import { ApiError } from '../errors.ts';
import { invalid } from '../validate.ts';
import { payerOf } from './caller.ts';

/** Makes a call with an Idempotency-Key run once, however often it is sent and to whichever process. */
export type Idempotency = {
  readonly keys: Omit<IdempotencyKeys, 'stop'>;
  readonly answers: Answers;
};

/** A call and its key; without a key nothing is bound. */
export type Binding = {
  /** The earlier answer to the same call; null if there is none. Throws `ApiError`, as `claim` does. */
  recall(): Promise<{ readonly answer: unknown } | null>;
  /** Binds the key to this call. Throws `ApiError` `idempotency_key_taken`, `call_in_progress`. */
  claim(callId: string, deadlineUnixMs: number): Promise<void>;
  /** Keeps the answer before it is charged, so that every charged answer can be fetched again. */
  keep(callId: string, answer: unknown): Promise<void>;
  /** Whether the call may be voided: not if its answer was handed out. From here on it never will be. */
  withdraw(callId: string): Promise<boolean>;
  /** The call was not charged and may be sent again. */
  release(callId: string): Promise<void>;
};

type BindDependencies = {
  readonly idempotency: Idempotency | null;
  readonly ledger: Pick<Ledger, 'submit'>;
  readonly logger: ApiLogger;
};

const NOTHING = async (): Promise<void> => {};
const UNBOUND: Binding = {
  recall: async () => null,
  claim: NOTHING,
  keep: NOTHING,
  withdraw: async () => true,
  release: NOTHING,
};

const KEY = /^[\x20-\x7e]{1,255}$/;
const NOT_A_KEY = 'must be 1 to 255 printable ASCII characters';

/** Throws `ApiError` `invalid_request`. */
export const checkIdempotencyKey = (key: string): void => {
  if (!KEY.test(key)) throw invalid({ path: 'Idempotency-Key', message: NOT_A_KEY });
};

const KEPT_NO_LONGER = 'The answer to the call with this Idempotency-Key is kept no longer.';

/** The binding of a request. Throws `ApiError` `invalid_request`; `unavailable` if no keys are kept. */
export const createBindCall =
  ({ idempotency, ledger, logger }: BindDependencies) =>
  (caller: AccountCaller): Binding => {
    const { once = null } = caller;
    if (once === null) return UNBOUND;
    checkIdempotencyKey(once.key);
    if (idempotency === null) throw new ApiError('unavailable');
    const { keys, answers } = idempotency;
    const id = idOf(caller.accountId, once.key);
    const requestHash = hashRequest(once.path, once.body());

    const find = () => {
      const bound = keys.find(id);
      if (bound !== null && bound.requestHash !== requestHash) throw new ApiError('idempotency_key_taken');
      return bound;
    };
    const release = async (callId: string): Promise<void> => {
      await keys.release(id, callId).catch((err: unknown) => {
        // Its deadline releases the key, or the ledger is asked when the call comes again.
        logger.error({ err, callId }, 'an Idempotency-Key could not be released');
      });
    };
    /** The process that kept the answer may have died before it charged or voided it. */
    const isPaid = async ({ callId, fate }: BoundCall): Promise<boolean> => {
      if (fate === 'given') return true;
      const payer = payerOf(caller);
      if (fate === 'withdrawn') {
        await ledger.submit(payer, { type: 'VoidCall', callId, reason: 'unanswered' });
        // A withdrawn answer is never given, even if the ledger has forgotten the call: its deadline probably gave
        // the charge back.
        return false;
      }
      const { status } = await ledger.submit(payer, { type: 'PostCall', callId });
      // The ledger has forgotten the call long after its deadline, so the client is believed.
      return status === 'posted' || status === 'refused';
    };
    let mayBeKept = false;

    return {
      recall: async () => {
        const bound = find();
        if (bound === null) return null;
        if (bound.answer === null) throw inProgress();
        if (!(await isPaid(bound))) {
          await release(bound.callId);
          throw inProgress();
        }
        const answer = await answers.fetch(bound.answer);
        if (answer === null) throw new ApiError('idempotency_key_taken', { sentence: KEPT_NO_LONGER });
        // A process without an answer to its post may be voiding it right now.
        if (bound.fate === 'open' && !(await keys.give(id, bound.callId))) throw inProgress();
        return { answer };
      },
      claim: async (callId, deadlineUnixMs) => {
        if (await keys.bind(id, { callId, requestHash, deadlineUnixMs })) return;
        find();
        throw inProgress();
      },
      keep: async (callId, answer) => {
        const place = await answers.keep(id, answer);
        mayBeKept = true;
        if (!(await keys.answer(id, callId, place))) throw new ApiError('timeout');
      },
      // An answer that was never kept was never handed out.
      withdraw: async (callId) => !mayBeKept || keys.withdraw(id, callId),
      release,
    };
  };

const inProgress = (): ApiError => new ApiError('call_in_progress', { headers: { 'Retry-After': '1' } });
