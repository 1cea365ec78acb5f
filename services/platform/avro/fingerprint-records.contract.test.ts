import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openEmbeddedLog } from '../event-log/embedded/open-embedded-log.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { followTopic } from '../event-log/follow-topic.ts';
import { openCodec } from './codec.ts';
import { fingerprintRecords } from './fingerprint-records.ts';
import { openLocalRegistry } from './local-registry.ts';
import { RegistryError } from './schema-registry.ts';
import { parseSchema } from './schemas.ts';
import { splitRecord } from './wire-format.ts';

type Finished = { path: string };
const FILE = {
  path: '/a',
  version: '1',
  chain: 'solana',
  block_number: 1,
  block_hash: 'h',
  movements: 2,
  refused: '',
};
const OTHER = parseSchema(
  JSON.stringify({ type: 'record', name: 'spoor.Other', fields: [{ name: 'path', type: 'string' }] }),
);
const T = { topic: 't', partition: 0 };
const MAX = 1 << 20;

/** A log and the file of a registry; each process sees both through its own eyes. */
const stage = async () => {
  const folder = temporaryFolder();
  const registryFile = join(folder, 'registry.json');
  const log: EventLog = await openEmbeddedLog({
    folder,
    topics: [{ name: T.topic, partitions: 1, retentionMs: -1 }],
    maxQueuedBytes: MAX,
    maxRecordBytes: MAX,
  });
  onTestFinished(() => log.close());
  const waited: unknown[] = [];
  return {
    log,
    waited,
    registryFile,
    process: () => fingerprintRecords(log, openLocalRegistry(registryFile), (error) => waited.push(error)),
    forget: () => rmSync(registryFile),
  };
};

const append = (log: EventLog, value: Buffer) => log.append([{ ...T, key: 'k', value }]);
const otherRecord = (id: number): Buffer => {
  const record = Buffer.concat([Buffer.alloc(5), OTHER.type.toBuffer({ path: '/b' })]);
  record.writeUInt32BE(id, 1);
  return record;
};
const readAll = (log: EventLog) => log.read({ ...T, offset: 0, maxBytes: MAX });

test('records written before the registry forgot are read after it, whatever their id means by then', async () => {
  const { process, forget } = await stage();
  const writer = process();
  const codec = await openCodec<Finished>(writer.registry, 'FileIngested');
  await append(writer.log, codec.encode(FILE));
  forget();
  const reader = process();
  expect(await reader.registry.register(OTHER)).toBe(codec.schemaId);
  const again = await openCodec<Finished>(reader.registry, 'FileIngested');
  expect(again.schemaId).not.toBe(codec.schemaId);
  const [record] = await readAll(reader.log);
  expect(again.decode(record?.value ?? Buffer.alloc(0))).toEqual(FILE);
});

test('an id that was handed out again never makes a running process take one schema for another', async () => {
  const { process, forget } = await stage();
  const reader = process();
  const codec = await openCodec<Finished>(reader.registry, 'FileIngested');
  await append(reader.log, codec.encode(FILE));
  forget();
  const writer = process();
  const id = await writer.registry.register(OTHER);
  expect(id).toBe(codec.schemaId);
  await append(writer.log, otherRecord(id));
  const [mine, other] = (await readAll(reader.log)).map(({ value }) => value);
  expect(codec.decode(mine ?? Buffer.alloc(0))).toEqual(FILE);
  expect(() => codec.decode(other ?? Buffer.alloc(0))).toThrow('a record of schema');
  const { schemaId } = splitRecord(other ?? Buffer.alloc(0));
  expect((await reader.registry.schemaOf(schemaId))?.fingerprint).toBe(OTHER.fingerprint);
});

test('a record whose schema the registry lost waits, and is read once it is registered again', async () => {
  const { log, process, forget, waited } = await stage();
  const writer = process();
  await append(writer.log, otherRecord(await writer.registry.register(OTHER)));
  forget();
  const reader = process();
  await reader.registry.register(parseSchema('{"type":"record","name":"spoor.Third","fields":[]}'));
  const consumer = await reader.log.consume({ group: 'g', topics: [T.topic] });
  expect(await consumer.poll({ maxBytes: MAX, waitMs: 1 })).toBeNull();
  expect(waited).toEqual([expect.objectContaining({ code: 'schema_unknown' })]);
  // Its old id means another schema now: the record is known by its fingerprint only.
  await reader.registry.register(OTHER);
  const batch = await consumer.poll({ maxBytes: MAX, waitMs: 1_000 });
  const { schemaId } = splitRecord(batch?.records[0]?.value ?? Buffer.alloc(0));
  expect((await reader.registry.schemaOf(schemaId))?.name).toBe('spoor.Other');
  expect((await log.ranges(T.topic))[0]?.end).toBe(1);
});

test('a poll that has to wait for a schema does not set back who was set elsewhere meanwhile', async () => {
  const { log, process, registryFile } = await stage();
  const writer = process();
  const value = otherRecord(await writer.registry.register(OTHER));
  await append(writer.log, value);
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  const local = openLocalRegistry(registryFile);
  let isAway = true;
  const registry: typeof local = {
    ...local,
    schemaOf: (id) => {
      asked.resolve();
      return isAway ? answer.promise : local.schemaOf(id);
    },
  };
  const reader = fingerprintRecords(log, registry, () => {});
  const consumer = await reader.log.consume({ group: 'g', topics: [T.topic] });
  const polling = consumer.poll({ maxBytes: MAX, waitMs: 1 });
  await asked.promise;
  // Who had read on has taken the first record, and the one that came behind it.
  await append(writer.log, value);
  await append(writer.log, value);
  consumer.seek({ ...T, offset: 2 });
  isAway = false;
  answer.reject(new RegistryError('registry_unreachable', 'it does not answer'));
  expect(await polling).toBeNull();
  expect((await consumer.poll({ maxBytes: MAX, waitMs: 1_000 }))?.from).toBe(2);
});

test('who reads a topic as a whole takes nothing behind a record whose schema is unknown, and says that it does not follow', async () => {
  const { process, forget, waited } = await stage();
  const reader = process();
  const taken: number[] = [];
  const followed = await followTopic({
    ...{ log: reader.log, topic: T.topic, currentWithinMs: 1_000 },
    take: ({ offset }) => void taken.push(offset),
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(() => followed.stop());
  await expect.poll(followed.isFollowing, PATIENCE).toBe(true);
  const writer = process();
  const record = otherRecord(await writer.registry.register(OTHER));
  forget();
  await append(writer.log, record);
  await append(writer.log, Buffer.from('without a schema of its own'));
  await expect.poll(followed.isFollowing, PATIENCE).toBe(false);
  expect(taken).toEqual([]);
  expect(waited).toContainEqual(expect.objectContaining({ code: 'schema_unknown' }));
  await reader.registry.register(OTHER);
  await expect.poll(followed.isFollowing, PATIENCE).toBe(true);
  expect(taken).toEqual([0, 1]);
});
