import { expect, test } from 'vitest';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { claimOf } from '../../testing/x402/claim-of.ts';
import { openEmbeddedBook, unexpected } from '../../testing/x402/open-payment-book.ts';
import { toldChain } from '../../testing/x402/told-chain.ts';
import type { PaymentBook } from '../book/payment-book.ts';
import type { ChainAnswer } from '../chains/payment-chain.ts';
import { settlePayment } from './settle-payment.ts';
import type { Settlement } from './settlement.ts';

const WALLET = 'wallet:eip155:8453:0xaa';
const KEY = 'key';
const POOR: Settlement = { status: 'failed', reason: 'insufficient_funds' };
const SETTLED: Settlement = { status: 'settled', transaction: '0xt' };
const NOT_MOVED: ChainAnswer = { status: 'not_moved' };

/** The books of two processes on one log, with a payment whose settlement the first of them has started. */
const openBooks = async () => {
  const folder = temporaryFolder();
  const [{ book: first }, { book: other }] = [await openEmbeddedBook(folder), await openEmbeddedBook(folder)];
  const done = { type: 'WorkDone', claimId: 'claim', answer: '0:0', isFree: false } as const;
  await first.record(WALLET, KEY, claimOf('claim'), done, { type: 'SettlementStarted', claimId: 'claim' });
  return { first, other };
};

type Ways = { settle: () => Promise<Settlement>; look: () => Promise<ChainAnswer> };

const settleIn = (
  book: PaymentBook,
  isFirst: boolean,
  { settle, look }: Ways,
  onError: (error: unknown) => void = unexpected,
): Promise<Settlement> => {
  const payment = book.state.payments.get(KEY);
  if (payment === undefined) throw new Error('the payment is not in the book');
  const facilitator = { supported: unexpected, verify: unexpected, settle };
  const chainOf = () => toldChain(look);
  return settlePayment({ book, facilitator, chainOf, onError }, payment, { isFirst });
};

/** As the reconciler does it with a settlement that takes too long. */
const settleAgain = async (book: PaymentBook, settle: Ways['settle']): Promise<Settlement> => {
  await book.record(WALLET, KEY, { type: 'PaymentUnknown', claimId: 'claim' });
  return settleIn(book, false, { settle, look: async () => NOT_MOVED });
};

test('what a process that was held up says of a payment is what the log says: settled by another one it has not failed', async () => {
  const { first, other } = await openBooks();
  // Its wallet has the money a minute later.
  const told = await settleIn(first, true, {
    settle: async () => POOR,
    look: async () => {
      expect(await settleAgain(other, async () => SETTLED)).toEqual(SETTLED);
      return NOT_MOVED;
    },
  });
  expect(told).toEqual(SETTLED);
  for (const book of [first, other])
    await expect.poll(() => book.state.payments.get(KEY)?.status, PATIENCE).toBe('settled');
});

test('what the first try came to is no end of a payment that another process is settling again', async () => {
  const { first, other } = await openBooks();
  const asked = Promise.withResolvers<void>();
  const moving = Promise.withResolvers<Settlement>();
  const again = Promise.withResolvers<Settlement>();
  const told = await settleIn(first, true, {
    settle: async () => POOR,
    look: async () => {
      again.resolve(
        settleAgain(other, () => {
          asked.resolve();
          return moving.promise;
        }),
      );
      await asked.promise;
      return NOT_MOVED;
    },
  });
  expect(told).toEqual({ status: 'unknown' });
  moving.resolve(SETTLED);
  expect(await again.promise).toEqual(SETTLED);
  for (const book of [first, other])
    await expect.poll(() => book.state.payments.get(KEY)?.status, PATIENCE).toBe('settled');
});

test('what nobody else has tried to settle fails at the first try, and its process says why', async () => {
  const { first, other } = await openBooks();
  const told = await settleIn(first, true, { settle: async () => POOR, look: async () => NOT_MOVED });
  expect(told).toMatchObject(POOR);
  await expect.poll(() => other.state.payments.get(KEY)?.status, PATIENCE).toBe('failed');
});

test('a word of the facilitator is no failure while the node that may know better does not answer: the chain is asked again', async () => {
  const { first, other } = await openBooks();
  const silence = new Error('the node is silent');
  const errors: unknown[] = [];
  const told = await settleIn(
    first,
    true,
    { settle: async () => POOR, look: () => Promise.reject(silence) },
    (error) => errors.push(error),
  );
  expect([told, errors]).toEqual([{ status: 'unknown' }, [silence]]);
  await expect.poll(() => other.state.payments.get(KEY)?.status, PATIENCE).toBe('unknown');
  // Another process of the facilitator had been first.
  const look = async () => ({ status: 'moved', transaction: '0xt' }) as const;
  expect(await settleIn(other, false, { settle: async () => unexpected(), look })).toEqual(SETTLED);
});
