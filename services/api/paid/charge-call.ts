import type { VoidReason } from '../../credits/decider/events.ts';
import type { Payer } from '../../credits/decider/state.ts';
import type { TariffName } from '../../credits/decider/tariffs.ts';
import type { AccountCaller, Caller, PaymentExchange } from '../context.ts';
import { ApiError } from '../errors.ts';
import { type Binding, createBindCall, type Idempotency } from './bind-call.ts';
import { admit, payerOf } from './caller.ts';
import { createReserveCall } from './reserve-call.ts';
import { createTakeBack, type LedgerDependencies } from './take-back.ts';
import { createUnpaidPool } from './unpaid-pool.ts';

/** The result of a call's work. `free`: why an answer costs nothing. */
export type WorkDone<T> = { readonly answer: T; readonly free: VoidReason | null };

/** The work of a paid call. It queries the tables, so it starts only when payment is likely. */
export type Work<T> = () => Promise<WorkDone<T>>;

/**
 * Runs a paid call: credits are reserved before the work, taken before the answer is sent, and given back if the
 * work fails or is free. Throws what the work throws, and `ApiError`: `unauthorized`, `insufficient_credits`,
 * `too_many_calls`, `unavailable`, `timeout`, `client_closed`. A repeated Idempotency-Key returns the earlier
 * answer, or `idempotency_key_taken`, `call_in_progress`.
 */
export type ChargeCall = <T>(call: { caller: Caller; tariff: TariffName }, work: Work<T>) => Promise<T>;

/** The same for callers without an account, who pay for the call by x402. */
export type ChargePayment = <T>(
  call: { exchange: PaymentExchange; tariff: TariffName },
  work: Work<T>,
) => Promise<T>;

export type ChargeDependencies = LedgerDependencies & {
  /** Present if payments are taken. */
  readonly chargePayment?: ChargePayment | null;
  /** Present if calls may carry an Idempotency-Key. */
  readonly idempotency?: Idempotency | null;
};

type Reserved = { readonly callId: string; readonly deadlineUnixMs: number };

/** The longest work takes 90 s. */
const LASTS_MS = 120_000;
/** Parallel free calls of all other machines, and of each of them. */
const OPEN_LIMITS = { atOnce: 8, atOnceEach: 2 };

export const createChargeCall = (dependencies: ChargeDependencies): ChargeCall => {
  const { ledger, logger, chargePayment, idempotency = null } = dependencies;
  const bindCall = createBindCall({ idempotency, ledger, logger });
  const reserve = createReserveCall(dependencies);
  const takeBack = createTakeBack(dependencies);
  const runOpen = createUnpaidPool(OPEN_LIMITS);

  /** Not awaited, because it takes as long as the ledger is away. */
  const takeBackLater = (payer: Payer, { callId, deadlineUnixMs }: Reserved, binding: Binding): void => {
    const mayVoid = () => binding.withdraw(callId);
    void takeBack(payer, callId, deadlineUnixMs, mayVoid).then((isVoid) =>
      isVoid ? binding.release(callId) : undefined,
    );
  };

  /** The key stays bound until the call is void; another call under it would be charged as well. */
  const giveBack = async (
    payer: Payer,
    reserved: Reserved,
    reason: VoidReason,
    binding: Binding,
  ): Promise<void> => {
    const { callId } = reserved;
    try {
      if (!(await binding.withdraw(callId))) return;
      await ledger.submit(payer, { type: 'VoidCall', callId, reason });
    } catch (err) {
      // A deadline does not void the call if another process handed out the answer and posted it.
      logger.error({ err, callId }, 'a reservation could not be voided; trying again');
      takeBackLater(payer, reserved, binding);
      return;
    }
    await binding.release(callId);
  };

  const post = async (caller: AccountCaller, reserved: Reserved, binding: Binding): Promise<void> => {
    const payer = payerOf(caller);
    const { callId } = reserved;
    try {
      const posted = await ledger.submit(payer, { type: 'PostCall', callId });
      // Nothing may wait between here and the answer's first byte.
      if (posted.status === 'posted') return await checkPresence(caller);
    } catch (error) {
      takeBackLater(payer, reserved, binding);
      throw error;
    }
    await binding.release(callId);
    throw new ApiError('timeout');
  };

  const chargeAccount = async <T>(
    { caller, tariff }: { caller: AccountCaller; tariff: TariffName },
    work: Work<T>,
  ): Promise<T> => {
    const payer = payerOf(caller);
    const binding = bindCall(caller);
    const known = await binding.recall();
    // The kept answer to the same request.
    if (known !== null) return known.answer as T;
    const reserved = await reserve({ payer, tariff, keyId: caller.keyId, lastsMs: LASTS_MS });
    const { callId, deadlineUnixMs } = reserved;
    let done: WorkDone<T>;
    try {
      await binding.claim(callId, deadlineUnixMs);
      done = await work();
      if (done.free === null) {
        await binding.keep(callId, done.answer);
        await checkPresence(caller);
      }
    } catch (error) {
      await giveBack(payer, reserved, 'failed', binding);
      throw error;
    }
    if (done.free === null) await post(caller, reserved, binding);
    else await giveBack(payer, reserved, done.free, binding);
    return done.answer;
  };

  return async ({ caller, tariff }, work) => {
    const admitted = admit(caller);
    if (admitted.kind === 'anyone') {
      const { answer } = await (admitted.from === null ? work() : runOpen(admitted.from, work));
      return answer;
    }
    if (admitted.kind === 'payer') {
      if (!chargePayment) throw new ApiError('unauthorized');
      return chargePayment({ exchange: admitted.exchange, tariff }, work);
    }
    return chargeAccount({ caller: admitted, tariff }, work);
  };
};

/** Nobody pays for an answer that cannot be written. Throws `ApiError` `client_closed`. */
const checkPresence = async ({ isGone }: AccountCaller): Promise<void> => {
  if (await isGone?.()) throw new ApiError('client_closed');
};
