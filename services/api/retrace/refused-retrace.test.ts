import { expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { openBilledApi } from '../../testing/open-billed-api.ts';
import { startApi } from '../../testing/start-api.ts';
import { ANCHORS_MAX } from './schema.ts';

const ANCHOR = {
  ...{ wallet: `0x${'1'.repeat(40)}`, counterparty: `0x${'2'.repeat(40)}`, direction: 'out' },
  signature: `0x${'a'.repeat(64)}`,
};

type Refusal = { readonly code: string; readonly error: string; readonly fields?: { path: string }[] };

test.each<[where: string, access: { isOpen: () => boolean; payments?: never }]>([
  ['where calls are paid for by x402', { isOpen: () => false, payments: {} as never }],
  ['where nobody needs a key', { isOpen: () => true }],
])('who has no key is told that a job needs one, %s', async (_, access) => {
  const ledger = createMemoryLedger({ nowUnixMs: () => 0 });
  await using api = await startApi({ billing: { ledger, directory: new Directory(), ...access } });
  const response = await api.post('/retrace', { anchors: [ANCHOR] });
  expect(response.status).toBe(401);
  const { code, error } = (await response.json()) as Refusal;
  expect({ code, error }).toEqual({
    code: 'unauthorized',
    error: expect.stringContaining('cannot be paid for by x402'),
  });
});

test.each<[path: string, body: object]>([
  ['anchors', {}],
  ['anchors', { anchors: [] }],
  ['anchors', { anchors: Array.from({ length: ANCHORS_MAX + 1 }, () => ({})) }],
  ['anchors.0.wallet', { anchors: [{ ...ANCHOR, wallet: 'x' }] }],
  ['anchors.1.tim', { anchors: [ANCHOR, { ...ANCHOR, tim: 1 }] }],
  ['every_seconds', { anchors: [ANCHOR], every_seconds: 59 }],
  ['every', { anchors: [ANCHOR], every: 60 }],
  ['chain', { anchors: [ANCHOR], chain: 'bitcoin' }],
])('a job whose %s is wrong is refused as a whole, and told what is', async (path, body) => {
  await using service = await openBilledApi();
  const response = await service.api.post('/retrace', body, service.bearer);
  expect(response.status).toBe(400);
  const { code, fields } = (await response.json()) as Refusal;
  expect([code, fields?.map((field) => field.path)]).toEqual(['invalid_request', [path]]);
});

test('where no jobs are taken, that is said', async () => {
  await using service = await openBilledApi();
  const response = await service.api.post('/retrace', { anchors: [ANCHOR] }, service.bearer);
  expect(response.status).toBe(503);
  expect((await service.get('/retrace/x')).status).toBe(503);
});
