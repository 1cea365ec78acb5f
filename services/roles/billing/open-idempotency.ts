import { openIdempotencyCodec } from '../../accounts/idempotency-codec.ts';
import { startIdempotencyKeys } from '../../accounts/idempotency-keys.ts';
import type { Idempotency } from '../../api/paid/bind-call.ts';
import { createAnswers } from '../../payments/book/answers.ts';
import { systemClock } from '../../platform/clock.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import type { Store } from '../store/open-store.ts';

/** Idempotency-Keys over a store's log. Resolves when all earlier ones are known. */
export const openIdempotency = async (
  { logger, closing }: Pick<ServiceProcess, 'logger' | 'closing'>,
  { log, registry }: Store,
): Promise<Idempotency> => {
  const onError = (err: unknown): void =>
    logger.error({ err }, 'reading the topic of idempotency keys failed; trying again');
  const codec = await openIdempotencyCodec(registry);
  const keys = await startIdempotencyKeys({ log, codec, clock: systemClock, onError });
  closing('idempotency keys', CLOSE.billing, () => keys.stop());
  return { keys, answers: createAnswers(log) };
};
