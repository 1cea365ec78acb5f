import { expect, test } from 'vitest';
import type { StoredRecord } from '../platform/event-log/event-log.ts';
import { Books } from './books.ts';
import type { LedgerEvent } from './decider/events.ts';
import type { LedgerCodec, LedgerEntry } from './ledger-codec.ts';
import { ReplayedLedger } from './replayed-ledger.ts';
import type { Snapshot } from './snapshot-file.ts';

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

const toRecord = (each: LedgerEntry): Omit<StoredRecord, 'partition' | 'offset'> => ({
  topic: 'ledger.events',
  key: each.payer,
  value: Buffer.from(JSON.stringify(each)),
  headers: {},
  timeUnixMs: each.atUnixMs,
});

const replay = (partitions: readonly LedgerEntry[][], snapshot: Snapshot | null = null) =>
  new ReplayedLedger({
    log: {
      read: async ({ partition, offset, until = 0 }) =>
        (partitions[partition] ?? [])
          .slice(offset, until)
          .map((each, i) => ({ ...toRecord(each), partition, offset: offset + i })),
    },
    codec: { decodeEntry: (record: Buffer) => JSON.parse(record.toString()) } as LedgerCodec,
    snapshot,
  });

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
  const replayed = replay(partitions);
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

test('a snapshot that lost a purchase, which could then be added again, or holds a payer of no event, differs from the events', async () => {
  const partitions = [[pack('account:a', START, 'first'), pack('account:b', START, 'first')]];
  const books = new Books();
  for (const payer of ['account:a', 'account:b', 'account:c'] as const)
    books.apply(pack(payer, START, 'first'));
  books.stateOf('account:b').applied.clear();
  const replayed = replay(partitions, { books, next: new Map([[0, 2]]), logIdentity: '' });
  await replayed.readOn(new Map([[0, 2]]));
  replayed.compareTallies();
  expect(replayed.problems).toEqual([
    { payer: 'account:b', problem: 'the snapshot differs: commands 0, not 1' },
    { payer: 'account:c', problem: 'the snapshot differs: credits 2, not 0, commands 1, not 0' },
  ]);
});
