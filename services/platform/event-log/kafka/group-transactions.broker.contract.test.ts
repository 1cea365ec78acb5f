import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { describeOnEngines } from '../../../testing/engines/describe-on-engines.ts';
import { FencedError } from '../event-log.ts';
import { applyTopics } from './apply-topics.ts';
import { type Connection, createConnection } from './connection.ts';
import { createGroupTransactions } from './group-transactions.ts';
import { openKafkaLog } from './open-kafka-log.ts';
import { placeRecords } from './place-records.ts';
import { createTopicCatalog } from './topic-catalog.ts';
import { createTransactions } from './transactions.ts';

const TOPICS = [{ name: 'plain', partitions: 1, retentionMs: -1 }];
const BYTES_MAX = 1 << 20;
const TRANSACTION_TIMEOUT_MS = 1_000;
/** Brokers look every 10 s which transactions are out of time. */
const OUT_OF_TIME_MS = 15_000;

describeOnEngines('transactions of a group on a real broker', ({ brokers }) => {
  const stage = async () => {
    const address = { brokers: [brokers], prefix: `${randomUUID()}.` };
    await applyTopics({ ...address, topics: TOPICS });
    const log = await openKafkaLog({
      ...address,
      topics: TOPICS,
      maxQueuedBytes: BYTES_MAX,
      maxRecordBytes: BYTES_MAX,
    });
    const catalog = createTopicCatalog(TOPICS, address.prefix);
    const topics = catalog.brokerNames;
    const connection = createConnection({ address, topics, compression: 'none', onError: () => {} });
    onTestFinished(async () => {
      await connection.close();
      await log.close();
    });
    /** A holder whose process stands still once, after that many requests, with its transaction open. */
    const hold = async (prove: () => Promise<void>, requests: number) => {
      let left = requests;
      const standing: Connection = {
        ...connection,
        run: async (action, signal) => {
          const answer = await connection.run(action, signal);
          left -= 1;
          if (left === 0) await sleep(OUT_OF_TIME_MS);
          return answer;
        },
      };
      const transactions = createTransactions({
        connection: standing,
        catalog,
        transactionalId: `${address.prefix}group`,
        transactionTimeoutMs: TRANSACTION_TIMEOUT_MS,
      });
      await transactions.takeOver();
      return createGroupTransactions({
        group: 'group',
        groupId: `${address.prefix}group`,
        member: { prove },
        transactions,
        place: (records) => placeRecords(records, { catalog, maxRecordBytes: BYTES_MAX, timeUnixMs: 0 }),
      });
    };
    return { log, hold };
  };
  const records = [{ topic: 'plain', key: 'k', value: Buffer.from('once') }];
  const commits = [{ topic: 'plain', partition: 0, offset: 7, metadata: 'm' }];
  const read = { topic: 'plain', partition: 0, offset: 0, maxBytes: BYTES_MAX };

  test('one that the brokers ended after its time is written again, once, by whoever holds the group still', async () => {
    const { log, hold } = await stage();
    // The id is taken, then the partitions are added.
    const transact = await hold(async () => {}, 2);
    const positions = await transact(records, commits);
    const stored = await log.read(read);
    expect(stored.map(({ value }) => value.toString())).toEqual(['once']);
    expect(positions).toEqual([{ topic: 'plain', partition: 0, offset: stored[0]?.offset }]);
    expect(await log.commits('group')).toEqual(commits);
  });

  test('one that the brokers ended after its time is refused where another member holds the group meanwhile', async () => {
    const { log, hold } = await stage();
    const transact = await hold(() => Promise.reject(new FencedError('group')), 2);
    await expect(transact(records, commits)).rejects.toThrow(FencedError);
    expect(await log.read(read)).toEqual([]);
    expect(await log.commits('group')).toEqual([]);
  });
});
