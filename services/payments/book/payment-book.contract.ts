import { expect, onTestFinished, test } from 'vitest';
import type { SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { claimOf } from '../../testing/x402/claim-of.ts';
import type { Wallet } from '../decider/events.ts';
import { LIMITS } from '../limits.ts';
import { startReconciler } from '../settle/start-reconciler.ts';
import { createAnswers } from './answers.ts';
import { openPaymentBook, PaymentsUnavailableError, RECONCILER } from './payment-book.ts';
import { openPaymentCodec } from './payment-codec.ts';

/** An engine of the event log under test, opened on the same place as by one more process. */
export type BookEngine = (folder: string) => Promise<{ log: EventLog; registry: SchemaRegistry }>;

const PAYMENTS = 30;

const unreachable = (): never => {
  throw new Error('nobody is to be asked');
};
const NOTHING_SETTLES = {
  facilitator: { supported: unreachable, verify: unreachable, settle: unreachable },
  chainOf: unreachable,
  onError: unreachable,
  limits: LIMITS,
};
const walletOf = (i: number): Wallet => `wallet:eip155:8453:${i}`;

/** What the book of payments promises on any engine of the event log. */
export const testPaymentBook = (openEngine: BookEngine): void => {
  const open = async (folder: string, clock: Clock = systemClock) => {
    const { log, registry } = await openEngine(folder);
    const codec = await openPaymentCodec(registry);
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const book = await openPaymentBook({ log, codec, clock, onError });
    onTestFinished(async () => {
      await book.stop();
      await log.close();
    });
    return { log, book, errors };
  };

  test('of claims that three processes write at once one counts, all agree which, and one that starts later knows it', async () => {
    const folder = temporaryFolder();
    const books = [(await open(folder)).book, (await open(folder)).book, (await open(folder)).book];
    const verdicts = await Promise.all(
      Array.from({ length: PAYMENTS }, (_, i) =>
        Promise.all(books.map((book, process) => book.record(walletOf(i), `${i}`, claimOf(`${process}`)))),
      ),
    );
    for (const [i, ofPayment] of verdicts.entries()) {
      expect(ofPayment.filter(({ counts }) => counts)).toHaveLength(1);
      const winner = String(ofPayment.findIndex(({ counts }) => counts));
      for (const book of books) {
        // The last to have read it back has read all three.
        await expect.poll(() => book.state.payments.get(`${i}`)?.claim.claimId, PATIENCE).toBe(winner);
      }
    }
    const { book: late } = await open(folder);
    expect(late.state).toEqual(books[0]?.state);
    const second = await late.record(walletOf(0), '0', claimOf('late'));
    expect(second).toEqual({ counts: false, refusal: 'payment_already_used' });
  });

  test('a start reads the last week, and from the oldest payment on that has not ended, however old that is', async () => {
    const folder = temporaryFolder();
    const { log, book } = await open(folder);
    const wallet = walletOf(1);
    for (const key of ['ended', 'open', 'ended too']) await book.record(wallet, key, claimOf(key));
    for (const claimId of ['ended', 'ended too'])
      await book.record(wallet, claimId, { type: 'PaymentReleased', claimId, reason: 'failed' });
    const nextWeek = { nowUnixMs: () => Date.now() + 8 * 86_400_000 };
    const knownNextWeek = async () => [...(await open(folder, nextWeek)).book.state.payments.keys()];
    // Nobody has looked yet what has ended.
    expect(await knownNextWeek()).toEqual(['ended', 'open', 'ended too']);
    const reconciler = startReconciler({ log, book, clock: systemClock, ...NOTHING_SETTLES });
    await expect.poll(async () => (await log.commits(RECONCILER)).length, PATIENCE).toBeGreaterThan(0);
    await reconciler.stop();
    expect(await knownNextWeek()).toEqual(['open', 'ended too']);
  });

  test('an answer that one process kept is fetched by another, as it was', async () => {
    const folder = temporaryFolder();
    const [one, two] = [await open(folder), await open(folder)];
    const answer = { hops: [{ amount: 0.1 }], end: null };
    const place = await createAnswers(one.log).keep('key', answer);
    expect(await createAnswers(two.log).fetch(place)).toEqual(answer);
  });

  test('behind a record that it cannot read it claims nothing, whichever wallet pays, and leaves no claim in the log', async () => {
    const { log, book, errors } = await open(temporaryFolder());
    await log.append([{ topic: 'payments', key: walletOf(1), value: Buffer.from('what is this') }]);
    // Not for a moment: it tries the same record again.
    await expect.poll(() => errors.length, PATIENCE).toBeGreaterThan(1);
    const before = await log.ranges('payments');
    for (let i = 0; i < PAYMENTS; i += 1)
      await expect(book.record(walletOf(i), `${i}`, claimOf('a'))).rejects.toThrow(PaymentsUnavailableError);
    expect(await log.ranges('payments')).toEqual(before);
    expect(book.state.payments.size).toBe(0);
  });

  test('without its log it takes nothing, and says so', async () => {
    const { log, book } = await open(temporaryFolder());
    await log.close();
    await expect(book.record(walletOf(1), 'key', claimOf('a'))).rejects.toThrow(PaymentsUnavailableError);
  });
};
