import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { LogError } from '../../platform/event-log/event-log.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openEmbeddedBook, unexpected } from '../../testing/x402/open-payment-book.ts';
import { toldChain } from '../../testing/x402/told-chain.ts';
import { createAnswers } from '../book/answers.ts';
import { type PaymentBook, PaymentsUnavailableError } from '../book/payment-book.ts';
import type { ChainAnswer } from '../chains/payment-chain.ts';
import { LIMITS } from '../limits.ts';
import type { CheckedPayment } from '../offer/check-payment.ts';
import type { PaidRequest } from '../offer/offers.ts';
import { createPayments, type TakePaymentDependencies } from '../take-payment.ts';
import { settlePayment } from './settle-payment.ts';
import type { Settlement } from './settlement.ts';

const NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const requirements = {
  scheme: 'exact',
  network: NETWORK,
  asset: 'usdc',
  amount: '100000',
  payTo: 'us',
  maxTimeoutSeconds: 300,
  extra: {},
} as const;

const checked = (payer: string): CheckedPayment => ({
  wallet: `wallet:${NETWORK}:${payer}`,
  sent: {
    payload: { x402Version: 2, accepted: requirements, payload: {} },
    key: `key of ${payer}`,
    payer,
    expiresUnixMs: null,
    transfer: null,
    paymentId: null,
  },
  requirements,
  checkedUnixMs: Date.now(),
  expiresUnixMs: Date.now() + 300_000,
});

const REQUEST: PaidRequest = {
  hash: 'request',
  url: 'https://here',
  description: '',
  usdMicros: 100_000,
  discovery: { example: {}, schema: {} },
};

const notMoved = async () => ({ status: 'not_moved' }) as const;
const moved = async () => ({ status: 'moved', transaction: 'tx' }) as const;

/** Payments by the real book and answers; of what is not done at once each is settled early. */
const open = async (changes: (book: PaymentBook) => Partial<TakePaymentDependencies>) => {
  const { log, book } = await openEmbeddedBook(temporaryFolder());
  const answers = createAnswers(log);
  const dependencies: TakePaymentDependencies = {
    book,
    facilitator: { supported: unexpected, verify: unexpected, settle: async () => ({ status: 'unknown' }) },
    chainOf: () => toldChain(notMoved),
    offers: { make: unexpected, match: unexpected },
    answers,
    clock: systemClock,
    limits: { ...LIMITS, earlySettleMs: 0 },
    onError: unexpected,
    ...changes(book),
  };
  const payments = createPayments(dependencies);
  /** As the reconciler does it. */
  const finish = async (payer: string, look: () => Promise<ChainAnswer>) => {
    const payment = book.state.payments.get(checked(payer).sent.key);
    if (payment === undefined) throw new Error('the payment is not in the book');
    const { wallet, key, status, claim } = payment;
    if (status === 'settling')
      await book.record(wallet, key, { type: 'PaymentUnknown', claimId: claim.claimId });
    await settlePayment({ ...dependencies, book, chainOf: () => toldChain(look) }, payment, {
      isFirst: false,
    });
    return payment;
  };
  return { payments, answers, finish };
};

test.each(['SettlementStarted', 'PaymentUnknown'])(
  'work whose payment was settled early is kept for that payment, though its %s was not read back in time',
  async (lost) => {
    const isLost = Promise.withResolvers<void>();
    const errors: unknown[] = [];
    const cause = new LogError('not_read_back', 'topic payments was not read back in time');
    const error = new PaymentsUnavailableError('the event log', { cause });
    const { payments, answers, finish } = await open((book) => ({
      book: {
        ...book,
        record: async (wallet, key, ...events) => {
          const verdict = await book.record(wallet, key, ...events);
          if (!events.some(({ type }) => type === lost)) return verdict;
          isLost.resolve();
          throw error;
        },
      },
      onError: (err) => errors.push(err),
    }));
    const told = await payments.take(checked('payer'), REQUEST, async () => {
      await isLost.promise;
      return { answer: 'the answer', free: null };
    });
    expect([told, errors]).toEqual([{ status: 'unknown' }, [error]]);
    const payment = await finish('payer', moved);
    expect(payment).toMatchObject({ status: 'settled', handOver: 'owed', answer: expect.any(String) });
    expect(await answers.fetch(payment.answer ?? '')).toBe('the answer');
  },
);

/** Nothing is known of what was asked for, which comes out once the payment's settlement has begun. */
const askInVain = async (settlement: Settlement) => {
  const isAsked = Promise.withResolvers<void>();
  let settled = 0;
  const settle = async () => {
    settled += 1;
    isAsked.resolve();
    return settlement;
  };
  const opened = await open(() => ({ facilitator: { supported: unexpected, verify: unexpected, settle } }));
  const ask = (payer: string) =>
    opened.payments.take(checked(payer), REQUEST, async () => {
      await isAsked.promise;
      return { answer: `nothing, to ${payer}`, free: 'no_data' };
    });
  return { ...opened, ask, first: await ask('first'), settled: () => settled };
};

test('an answer that costs nothing is free where its payment, settled early, failed', async () => {
  const { first } = await askInVain({ status: 'failed', reason: 'insufficient_funds' });
  expect(first).toEqual({ status: 'free', answer: 'nothing, to first' });
});

test('an answer that costs nothing and was paid for early belongs to its payment', async () => {
  const { first } = await askInVain({ status: 'settled', transaction: 'tx' });
  expect(first).toMatchObject({ status: 'paid', answer: 'nothing, to first' });
});

test('an answer that costs nothing is held while nobody knows whether its payment moved, and fetched by it where it did', async () => {
  const { first, finish, answers } = await askInVain({ status: 'unknown' });
  expect(first).toEqual({ status: 'unknown' });
  const payment = await finish('first', moved);
  expect(payment).toMatchObject({ status: 'settled', handOver: 'owed' });
  expect(await answers.fetch(payment.answer ?? '')).toBe('nothing, to first');
});

test.each(['failed', 'unknown'] as const)(
  'an answer that costs nothing is sold to nobody where the early settlement was %s, and its payment did not move',
  async (status) => {
    const { ask, finish, settled } = await askInVain(
      status === 'failed' ? { status, reason: 'insufficient_funds' } : { status },
    );
    if (status === 'unknown')
      await finish('first', async () => ({ status: 'cannot_move', reason: 'payment_expired' }));
    expect(settled()).toBe(1);
    expect(await ask('second')).toMatchObject({ answer: 'nothing, to second' });
  },
);
