import { expect, test } from 'vitest';
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import type { EventLog, StoredRecord } from '../platform/event-log/event-log.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { claimOf } from '../testing/x402/claim-of.ts';
import { toldChain } from '../testing/x402/told-chain.ts';
import { auditPayments } from './audit.ts';
import { openPaymentCodec } from './book/payment-codec.ts';
import type { ChainAnswer } from './chains/payment-chain.ts';
import type { GivenCredits } from './compare-grants.ts';
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

/** The same of a payment for 200 credits of account a. */
const ofPack = (happenings: Happening[]): Happening[] =>
  happenings.map(({ event, ...happening }) => ({
    ...happening,
    event: event.type === 'PaymentClaimed' ? { ...event, grant: { accountId: 'a', credits: 200 } } : event,
  }));

/** Over a log that gives out one record at a time. `looked`: how far it was read when the chain was asked, by payment. */
const audit = async (
  happenings: Happening[],
  chain: Readonly<Record<string, ChainAnswer>> = {},
  given: readonly GivenCredits[] = [],
) => {
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
    chainOf: () => toldChain(look),
    clock: { nowUnixMs: () => NOW },
    readGiven: async () => given,
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

test('credits that a settled pack bought and the ledger does not have are a problem once nobody is about to give them', async () => {
  const packs = [
    ...ofPack(settled('given', NOW - 60 * MINUTE)),
    ...ofPack(settled('lost', NOW - 60 * MINUTE)),
    ...ofPack(settled('about to be given', NOW - MINUTE)),
    ...ofPack(settled('too little', NOW - MINUTE)),
    ...settled('no pack', NOW - 60 * MINUTE),
  ];
  const { problems } = await audit(packs, {}, [
    { payer: 'account:a', id: 'x402:given', credits: 200 },
    { payer: 'account:a', id: 'x402:too little', credits: 20 },
    { payer: 'account:a', id: 'by hand', credits: 7 },
  ]);
  expect(problems).toEqual([
    'lost bought 200 credits for account:a, and the ledger gave 0',
    'too little bought 200 credits for account:a, and the ledger gave 20',
  ]);
});

test('credits that the ledger gave for what did not settle, or to another account, are a problem', async () => {
  const failed = { type: 'PaymentFailed', claimId: 'failed', reason: 'x', isFinal: true } as const;
  const { problems } = await audit(
    [
      ...ofPack(settling('failed', NOW - 60 * MINUTE, failed)),
      ...ofPack(settled('settled', NOW - 60 * MINUTE)),
      ...ofPack(settling('about to be settled', NOW - MINUTE)),
    ],
    { failed: { status: 'not_moved' } },
    [
      { payer: 'account:a', id: 'x402:failed', credits: 200 },
      { payer: 'account:a', id: 'x402:settled', credits: 200 },
      { payer: 'account:b', id: 'x402:settled', credits: 200 },
      { payer: 'account:a', id: 'x402:about to be settled', credits: 200 },
    ],
  );
  expect(problems).toEqual([
    'failed bought account:a nothing by its events, and the ledger gave it 200 credits',
    'settled bought account:b nothing by its events, and the ledger gave it 200 credits',
  ]);
});
