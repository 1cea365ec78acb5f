import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { describeOnEngines } from '../../../testing/engines/describe-on-engines.ts';
import type { EventLog } from '../event-log.ts';
import { applyTopics } from './apply-topics.ts';
import type { Compression } from './compression.ts';
import { createConnection } from './connection.ts';
import { fetchRecords } from './fetch-records.ts';
import { openKafkaLog } from './open-kafka-log.ts';
import { createTopicCatalog } from './topic-catalog.ts';

const TOPICS = [{ name: 'blocks', partitions: 1, retentionMs: -1 }];
const AT = { topic: 'blocks', partition: 0 };
// One fills most of a batch, so that each is a batch of its own.
const RECORD_BYTES = 900_000;
const ZEROS = { ...AT, key: 'k', value: Buffer.alloc(RECORD_BYTES) };

describeOnEngines('compression on a real broker', ({ brokers }) => {
  const stage = async () => {
    const address = { brokers: [brokers], prefix: `${randomUUID()}.` };
    await applyTopics({ ...address, topics: TOPICS });
    const open = async (compression: Compression): Promise<EventLog> => {
      const log = await openKafkaLog({
        ...address,
        topics: TOPICS,
        maxQueuedBytes: 16 << 20,
        maxRecordBytes: 1 << 20,
        compression,
      });
      onTestFinished(() => log.close());
      return log;
    };
    const fetch = async (maxBytes: number) => {
      const catalog = createTopicCatalog(TOPICS, address.prefix);
      const connection = createConnection({
        address,
        topics: catalog.brokerNames,
        compression: 'zstd',
        onError: () => {},
      });
      onTestFinished(() => connection.close());
      const request = { from: [{ ...AT, offset: 0 }], maxBytes, maxWaitMs: 0 };
      const [fetched] = await connection.run((session) => fetchRecords(session, catalog, request));
      return fetched?.records ?? [];
    };
    return { open, fetch };
  };

  test('what shrinks to nothing on the way is held in memory within the bytes asked for', async () => {
    const { open, fetch } = await stage();
    const log = await open('zstd');
    for (let index = 0; index < 12; index += 1) await log.append([ZEROS]);
    // Without compression a broker would send one batch for a quarter of this.
    expect(await fetch(3 * RECORD_BYTES)).toHaveLength(3);
    expect(await fetch(1)).toHaveLength(1);
    const all = await log.read({ ...AT, offset: 0, maxBytes: 100 * RECORD_BYTES });
    expect(all.map(({ offset }) => offset)).toEqual([...Array(12).keys()]);
    expect(all.every(({ value }) => value.equals(ZEROS.value))).toBe(true);
  });

  test('a log holds batches with and without compression, and every reader reads both', async () => {
    const { open } = await stage();
    const logs = [await open('none'), await open('zstd')];
    for (const log of logs) {
      await log.append([ZEROS]);
      await log.append([{ ...ZEROS, value: Buffer.from('small') }]);
    }
    for (const log of logs) {
      const records = await log.read({ ...AT, offset: 0, maxBytes: 100 * RECORD_BYTES });
      expect(records.map(({ value }) => value.length)).toEqual([RECORD_BYTES, 5, RECORD_BYTES, 5]);
    }
  });
});
