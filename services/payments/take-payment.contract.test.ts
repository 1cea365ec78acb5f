import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openEmbeddedBook, unexpected } from '../testing/x402/open-payment-book.ts';
import { createAnswers } from './book/answers.ts';
import { LIMITS } from './limits.ts';
import type { CheckedPayment } from './offer/check-payment.ts';
import type { PaidRequest } from './offer/offers.ts';
import { createPayments } from './take-payment.ts';

const requirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0xusdc',
  amount: '100000',
  payTo: '0xus',
  maxTimeoutSeconds: 300,
  extra: {},
} as const;

/** As it was checked while nothing was known of it. */
const checked = (paymentId: string | null): CheckedPayment => ({
  wallet: 'wallet:eip155:8453:0xaa',
  sent: {
    payload: { x402Version: 2, accepted: requirements, payload: {} },
    key: 'key',
    payer: '0xaa',
    expiresUnixMs: null,
    transfer: null,
    paymentId,
  },
  requirements,
  checkedUnixMs: Date.now(),
  expiresUnixMs: Date.now() + 300_000,
});

const requestOf = (hash: string): PaidRequest => ({
  hash,
  url: 'https://here',
  description: '',
  usdMicros: 100_000,
  discovery: { example: {}, schema: {} },
});

const open = async () => {
  const { log, book } = await openEmbeddedBook(temporaryFolder());
  const payments = createPayments({
    book,
    facilitator: { supported: unexpected, verify: unexpected, settle: unexpected },
    chainOf: unexpected,
    offers: { make: unexpected, match: unexpected },
    answers: createAnswers(log),
    clock: systemClock,
    limits: LIMITS,
    onError: unexpected,
  });
  return { payments, written: () => log.ranges('payments') };
};

test('a payment that was claimed since it was checked is not claimed in the log again; only under the id of the call that runs is anybody told to wait', async () => {
  const { payments, written } = await open();
  const work = Promise.withResolvers<{ answer: string; free: string }>();
  const started = Promise.withResolvers<void>();
  const first = payments.take(checked('first'), requestOf('request'), () => {
    started.resolve();
    return work.promise;
  });
  await started.promise;
  const claimed = await written();
  const again = (paymentId: string | null, hash = 'request') =>
    payments.take(checked(paymentId), requestOf(hash), async () => unexpected());
  expect(await again('first')).toEqual({ status: 'in_progress' });
  for (const id of [null, 'second'])
    expect(await again(id)).toEqual({ status: 'refused', reason: 'payment_already_used' });
  expect(await written()).toEqual(claimed);
  work.resolve({ answer: 'nothing', free: 'no_data' });
  await first;
  const released = await written();
  for (const id of [null, 'first', 'second'])
    expect(await again(id, 'another')).toEqual({ status: 'refused', reason: 'payment_already_used' });
  expect(await written()).toEqual(released);
});
