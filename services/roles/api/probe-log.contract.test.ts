import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createBlockEncoder } from '../../events/encode-block.ts';
import { fingerprintRecords } from '../../platform/avro/fingerprint-records.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { loadSchema } from '../../platform/avro/schemas.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf } from '../../testing/sink-stage.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { probeLog } from './status-probes.ts';

const HEAD = { topic: 'transfers.head', partition: 0 };
const MAX = 1 << 20;

/** A log with one block, of whose schema the registry knows nothing. */
const open = async () => {
  const folder = temporaryFolder();
  const log = await openEmbeddedLog({ folder, topics: TOPICS, maxQueuedBytes: MAX, maxRecordBytes: MAX });
  onTestFinished(() => log.close());
  const file = join(folder, 'registry.json');
  const openProcess = () => fingerprintRecords(log, openLocalRegistry(file), () => {});
  const writer = openProcess();
  const encode = createBlockEncoder(await writer.registry.register(loadSchema('BlockTransfers')));
  await writer.log.append(encode(blockOf(1)).map((value) => ({ ...HEAD, key: 'solana', value })));
  rmSync(file);
  const reader = openProcess();
  return {
    reader: reader.log,
    probe: probeLog(reader.log),
    recover: () => reader.registry.register(loadSchema('BlockTransfers')),
  };
};

test('a log in which a consumer waits for a schema is degraded until the registry tells it', async () => {
  const { reader, probe, recover } = await open();
  const consumer = await reader.consume({ group: 'g', topics: [HEAD.topic] });
  expect(await probe()).toBe('ok');
  const poll = () => consumer.poll({ maxBytes: MAX, waitMs: 1 });
  expect(await poll()).toBeNull();
  expect(await probe()).toBe('degraded');
  await recover();
  expect((await poll())?.records).toHaveLength(1);
  expect(await probe()).toBe('ok');
});

test('a log in which a read waits for a schema is degraded until the registry tells it', async () => {
  const { reader, probe, recover } = await open();
  const reading = reader.read({ ...HEAD, offset: 0, maxBytes: MAX });
  await expect.poll(probe, PATIENCE).toBe('degraded');
  await recover();
  expect(await reading).toHaveLength(1);
  expect(await probe()).toBe('ok');
});

test('a consumer that was closed while it waited for a schema waits no more', async () => {
  const { reader, probe } = await open();
  const consumer = await reader.consume({ group: 'g', topics: [HEAD.topic] });
  await consumer.poll({ maxBytes: MAX, waitMs: 1 });
  expect(await probe()).toBe('degraded');
  await consumer.close();
  expect(await probe()).toBe('ok');
});
