import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import { systemClock } from '../platform/clock.ts';
import { openEmbeddedLog } from '../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';
import { PATIENCE } from '../testing/patience.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openAccountCodec } from './account-codec.ts';
import { CURRENT_WITHIN_MS, startAccounts, UnknownIdError } from './accounts.ts';

/** `isDamaged`: its topic holds what cannot be read. */
const start = async (folder: string, isDamaged = false) => {
  const log = await openEmbeddedLog({
    folder,
    topics: TOPICS,
    maxQueuedBytes: 1 << 20,
    maxRecordBytes: 1 << 20,
  });
  const codec = await openAccountCodec(openLocalRegistry(`${folder}/schemas.json`));
  const errors: unknown[] = [];
  const accounts = await startAccounts({
    log,
    codec,
    clock: systemClock,
    onError: (error) => void errors.push(error),
  });
  const stop = async () => {
    await accounts.stop();
    await log.close();
    if (!isDamaged) expect(errors).toEqual([]);
  };
  onTestFinished(stop);
  return { ...accounts, log, stop, errors };
};

test('a key opens its account, in this process at once and in another one after a restart', async () => {
  const folder = temporaryFolder();
  const first = await start(folder);
  expect(first.directory.hasAccounts()).toBe(false);
  const { accountId } = await first.open('Example');
  const { key, keyId } = await first.issueKey(accountId, 'server');
  expect(first.directory.find(key)).toMatchObject({
    id: keyId,
    accountId,
    name: 'server',
    revokedUnixMs: null,
  });
  await first.stop();
  const second = await start(folder);
  expect(second.directory.find(key)?.accountId).toBe(accountId);
  expect(second.directory.keysOf(accountId)).toEqual([second.directory.find(key)]);
});

test('what one process revokes opens nothing in another one within a second, nor anywhere later', async () => {
  const folder = temporaryFolder();
  const [operator, api] = [await start(folder), await start(folder)];
  const { accountId } = await operator.open('Example');
  const { key, keyId } = await operator.issueKey(accountId, 'leaked');
  const { key: other } = await operator.issueKey(accountId, 'kept');
  await expect.poll(() => api.directory.find(key), PATIENCE).not.toBeNull();
  await operator.revokeKey(keyId);
  expect(CURRENT_WITHIN_MS).toBe(1_000);
  await sleep(CURRENT_WITHIN_MS);
  // However slow the machine is: who has not heard of it by now believes no key.
  expect(api.directory.isCurrent() && api.directory.find(key)).not.toMatchObject({ id: keyId });
  await expect.poll(() => api.directory.find(key), PATIENCE).toBeNull();
  await operator.revokeKey(keyId);
  expect(api.directory.find(other)?.name).toBe('kept');
  expect((await start(folder)).directory.find(key)).toBeNull();
});

test('a revocation behind a record that cannot be read is not missed: the directory says that it is not current', async () => {
  const folder = temporaryFolder();
  const [operator, api] = [await start(folder, true), await start(folder, true)];
  const { accountId } = await operator.open('Example');
  const { key, keyId } = await operator.issueKey(accountId, 'leaked');
  await expect.poll(() => api.directory.find(key), PATIENCE).not.toBeNull();
  await expect.poll(() => api.directory.isCurrent(), PATIENCE).toBe(true);
  await operator.log.append([{ topic: 'accounts', key: accountId, value: Buffer.from('what is this') }]);
  await operator.revokeKey(keyId);
  await expect.poll(() => api.directory.isCurrent(), PATIENCE).toBe(false);
  // Not for a moment: it tries the same record again.
  await expect.poll(() => api.errors.length, PATIENCE).toBeGreaterThan(2);
  expect(api.directory.isCurrent()).toBe(false);
});

test('no key lies in the log, in whole or after its prefix', async () => {
  const accounts = await start(temporaryFolder());
  const { accountId } = await accounts.open('Example');
  const { key } = await accounts.issueKey(accountId, 'server');
  const records = await accounts.log.read({ topic: 'accounts', partition: 0, offset: 0, maxBytes: 1 << 20 });
  expect(records).toHaveLength(2);
  const stored = Buffer.concat(records.map(({ value }) => value)).toString('latin1');
  expect(stored).toContain(key.slice(0, 17));
  expect(stored).not.toContain(key.slice(17, 25));
  expect(stored).not.toContain(key.slice(-8));
});

test('a key that is not one of ours, or nearly one, opens nothing', async () => {
  const accounts = await start(temporaryFolder());
  const { accountId } = await accounts.open('Example');
  const { key } = await accounts.issueKey(accountId, 'server');
  for (const sent of ['', 'x', key.toLowerCase(), `${key.slice(0, -1)}_`, `spoor_live_${'A'.repeat(34)}`])
    expect(accounts.directory.find(sent)).toBeNull();
});

test('keys are issued and revoked only for what there is', async () => {
  const accounts = await start(temporaryFolder());
  await expect(accounts.issueKey('nobody', 'x')).rejects.toThrow(new UnknownIdError('account', 'nobody'));
  await expect(accounts.revokeKey('none')).rejects.toThrow(new UnknownIdError('key', 'none'));
});
