import { expect, test } from 'vitest';
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import type { EventLog, StoredRecord } from '../platform/event-log/event-log.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { claimOf } from '../testing/x402/claim-of.ts';
import { auditPayments } from './audit.ts';
import { openPaymentCodec } from './book/payment-codec.ts';
import type { ChainAnswer } from './chains/payment-chain.ts';
import type { PaymentEvent } from './decider/events.ts';

const NOW = Date.UTC(2026, 0, 2);
const MINUTE = 60_000;
const MOVED: ChainAnswer = { status: 'moved', transaction: '0xt' };

type Happening = { readonly key: string; readonly atUnixMs: number; readonly event: PaymentEvent };

/** A payment that was claimed and whose settlement has started, and what else happened to it. */
const settling = (key: string, atUnixMs: number, ...more: PaymentEvent[]): Happening[] => {
  const claim = claimOf(key, {
    atUnixMs,
    signed: JSON.stringify(key),
    deadlineUnixMs: atUnixMs + 3 * MINUTE,
  });
  const events = [claim, { type: 'SettlementStarted', claimId: key } as const, ...more];
  return events.map((event) => ({ key, atUnixMs, event }));
};
const settled = (key: string, atUnixMs: number): Happening[] =>
  settling(
    key,
    atUnixMs,
    { type: 'PaymentSettled', claimId: key, transaction: '0xt' },
    { type: 'AnswerGiven', claimId: key },
  );

/** Over a log that gives out one record at a time. `looked`: how far it was read when the chain was asked, by payment. */
const audit = async (happenings: Happening[], chain: Readonly<Record<string, ChainAnswer>> = {}) => {
  const codec = await openPaymentCodec(openLocalRegistry(`${temporaryFolder()}/schemas.json`));
  const records = happenings.map((happening, offset): StoredRecord => {
    const value = codec.encode({ ...happening, wallet: 'wallet:eip155:8453:0xaa' });
    const place = { topic: 'payments', partition: 0, offset };
    return { ...place, key: '', value, headers: {}, timeUnixMs: happening.atUnixMs };
  });
  let read = 0;
  const log: Pick<EventLog, 'ranges' | 'read'> = {
    ranges: async (topic) => [{ topic, partition: 0, begin: 0, end: records.length }],
    read: async ({ offset }) => {
      read = offset + 1;
      return records.slice(offset, offset + 1);
    },
  };
  const looked = new Map<string, number>();
  const look = async (payment: unknown): Promise<ChainAnswer> => {
    looked.set(String(payment), read);
    return chain[String(payment)] ?? MOVED;
  };
  const audited = await auditPayments({
    log: log as EventLog,
    codec,
    chainOf: () => ({ look }),
    clock: { nowUnixMs: () => NOW },
  });
  const problems = audited.problems.map(({ key, problem }) => `${key} ${problem}`);
  return { ...audited, problems, looked };
};

test('a settlement that is open for longer than any payment is good for is a problem, whatever the chain says of it', async () => {
  const { problems } = await audit(
    [
      ...settling('young', NOW - MINUTE),
      ...settling('old', NOW - 20 * MINUTE),
      ...settling('asked after', NOW - 60 * MINUTE, { type: 'PaymentUnknown', claimId: 'asked after' }),
    ],
    { 'asked after': { status: 'cannot_move', reason: 'payment_expired' } },
  );
  expect(problems).toEqual([
    'old is settling by the events for 20 minutes, and moved on chain',
    'asked after is unknown by the events for 60 minutes, and has not moved on chain',
  ]);
});

test('every payment is compared once, and one that can change no more is not held until the end', async () => {
  const payments = Array.from({ length: 6 }, (_, i) => settled(`${i}`, NOW - (600 - 60 * i) * MINUTE));
  const { compared, settledRaw, problems, looked } = await audit(payments.flat(), {
    '1': { status: 'not_moved' },
  });
  expect(problems).toEqual(['1 is settled by the events, and has not moved on chain']);
  expect([compared, settledRaw.get('eip155:8453/0xusdc')]).toEqual([6, 600_000n]);
  // Two hours later it is forgotten: four records a payment, one payment an hour.
  expect([...looked.values()].slice(0, 3)).toEqual([9, 13, 17]);
});
