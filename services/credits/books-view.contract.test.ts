import { expect, test } from 'vitest';
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import { createTemporaryLogs } from '../platform/event-log/embedded/temporary-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';
import { openBooksView } from './books-view.ts';
import { openLedgerCodec } from './ledger-codec.ts';

const HOUR_MS = 3_600_000;
let nowUnixMs = Date.UTC(2026, 0, 1);

const logs = createTemporaryLogs({
  topics: TOPICS,
  maxQueuedBytes: 1 << 20,
  maxRecordBytes: 1 << 20,
  clock: { nowUnixMs: () => nowUnixMs },
});

test('a ledger that starts while the last refusals of an hour ago are deleted waits for none of them', async () => {
  const log = await logs.open();
  const codec = await openLedgerCodec(openLocalRegistry(`${await logs.folder()}/schemas.json`));
  const payer = 'account:a';
  const refused = {
    type: 'CallRefused',
    callId: 'c',
    reason: 'too_many_calls',
    deadlineUnixMs: null,
  } as const;
  const added = { type: 'CreditsAdded', commandId: 'pack', credits: 5 } as const;
  const [refusal, credits] = [refused, added].map((event) =>
    codec.encodeEntry({ payer, atUnixMs: nowUnixMs, event }),
  ) as [Buffer, Buffer];
  await log.append([
    { topic: 'ledger.refusals', key: payer, value: refusal },
    { topic: 'ledger.events', key: payer, value: credits },
  ]);
  const ranges: typeof log.ranges = async (topic) => {
    const found = await log.ranges(topic);
    if (topic === 'ledger.refusals') nowUnixMs += HOUR_MS + 1;
    await log.enforceRetention();
    return found;
  };
  const view = await openBooksView({ log: { ...log, ranges }, codec, snapshot: null, onEntry: () => {} });
  expect(view.books.stateOf(payer)).toMatchObject({ packCredits: 5, refused: new Map() });
  await view.close();
});
