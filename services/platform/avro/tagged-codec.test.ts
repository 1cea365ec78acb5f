import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openCodec } from './codec.ts';
import { openLocalRegistry } from './local-registry.ts';
import { openTaggedCodec } from './tagged-codec.ts';

const openRegistry = () => openLocalRegistry(join(temporaryFolder(), 'registry.json'));
const ENTRY = {
  payer: 'account:1',
  atUnixMs: 1_700_000_000_000,
  event: {
    type: 'CallVoided',
    callId: 'a',
    tariff: 'follow',
    reason: 'failed',
    refund: { analyses: 0, traces: 0, credits: 2 },
    charge: { analyses: 0, traces: 0, credits: 2 },
    postedUnixMs: null,
  },
};

test('a record of a union comes back with its name and its fields, also those of records in it', async () => {
  const codec = await openTaggedCodec<'event', typeof ENTRY>(openRegistry(), 'LedgerEvent', 'event');
  expect(codec.decode(codec.encode(ENTRY))).toEqual(ENTRY);
});

test('the bytes are those of the schema, whatever code calls its fields', async () => {
  const registry = openRegistry();
  const tagged = await openTaggedCodec<'event', typeof ENTRY>(registry, 'LedgerEvent', 'event');
  const plain = await openCodec<object>(registry, 'LedgerEvent');
  const { type: _, callId: call_id, postedUnixMs: posted_unix_ms, ...fields } = ENTRY.event;
  const event = { 'spoor.CallVoided': { ...fields, call_id, posted_unix_ms } };
  const { payer, atUnixMs: at_unix_ms } = ENTRY;
  expect(tagged.encode(ENTRY)).toEqual(plain.encode({ payer, at_unix_ms, event }));
});
