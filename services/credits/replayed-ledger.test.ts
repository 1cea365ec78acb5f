import { expect, test } from 'vitest';
import type { StoredRecord } from '../platform/event-log/event-log.ts';
import type { LedgerEvent } from './decider/events.ts';
import type { LedgerCodec, LedgerEntry } from './ledger-codec.ts';
import { ReplayedLedger } from './replayed-ledger.ts';

const START = Date.UTC(2026, 0, 31);
const MINUTE = 60_000;
const charge = { analyses: 0, traces: 0, credits: 2 };
const call = { callId: 'c', tariff: 'follow', charge } as const;

const entry = (payer: LedgerEntry['payer'], atUnixMs: number, event: LedgerEvent): LedgerEntry => ({
  payer,
  atUnixMs,
  event,
});
const pack = (payer: LedgerEntry['payer'], atUnixMs: number, commandId: string): LedgerEntry =>
  entry(payer, atUnixMs, { type: 'CreditsAdded', commandId, credits: 2 });

test('a call is known until its own partition is read further, however far another one is read', async () => {
  const deadlineUnixMs = START + MINUTE;
  const partitions = [
    [pack('account:a', START, 'first'), pack('account:a', START + 60 * MINUTE, 'second')],
    [
      pack('account:b', START, 'first'),
      entry('account:b', START, { type: 'CallReserved', ...call, keyId: null, deadlineUnixMs }),
      entry('account:b', START, { type: 'CallPosted', ...call }),
      entry('account:b', START + MINUTE, {
        type: 'CallVoided',
        ...call,
        reason: 'unanswered',
        refund: charge,
        postedUnixMs: START,
      }),
    ],
  ];
  const toRecord = (each: LedgerEntry): Omit<StoredRecord, 'partition' | 'offset'> => ({
    topic: 'ledger.events',
    key: each.payer,
    value: Buffer.from(JSON.stringify(each)),
    headers: {},
    timeUnixMs: each.atUnixMs,
  });
  const replayed = new ReplayedLedger({
    log: {
      read: async ({ partition, offset, until = 0 }) =>
        (partitions[partition] ?? [])
          .slice(offset, until)
          .map((each, i) => ({ ...toRecord(each), partition, offset: offset + i })),
    },
    codec: { decodeEntry: (record: Buffer) => JSON.parse(record.toString()) } as LedgerCodec,
    snapshot: null,
  });
  await replayed.readOn(
    new Map([
      [0, 1],
      [1, 3],
    ]),
  );
  await replayed.readOn(
    new Map([
      [0, 2],
      [1, 4],
    ]),
  );
  replayed.compareTallies();
  expect(replayed.problems).toEqual([]);
  expect(replayed.books.stateOf('account:b').packCredits).toBe(2);
});
