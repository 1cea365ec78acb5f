import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openAccountCodec } from '../../../accounts/account-codec.ts';
import { startAccounts } from '../../../accounts/accounts.ts';
import { describeOnEngines } from '../../../testing/engines/describe-on-engines.ts';
import type { KafkaBroker } from '../../../testing/engines/kafka-broker.ts';
import { startBroker } from '../../../testing/engines/start-engines.ts';
import { createMemoryLedger } from '../../../testing/memory/memory-ledger.ts';
import { PATIENCE } from '../../../testing/patience.ts';
import { startApi } from '../../../testing/start-api.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { openLocalRegistry } from '../../avro/local-registry.ts';
import { systemClock } from '../../clock.ts';
import { describeKilledWriters } from '../event-log.faults.ts';
import { type EventLog, FencedError } from '../event-log.ts';
import { FAULT_TOPICS } from '../faults/fault-log.ts';
import { TOPICS } from '../topics.ts';
import { kafkaLogOn } from './faulty-log.ts';
import { createCluster } from './kafka-client.ts';
import { openForFaults } from './open-for-faults.ts';

describeOnEngines('a real broker', ({ brokers }) => {
  describeKilledWriters('kafka event log', kafkaLogOn(brokers), { rounds: 4 });
});

const ROUNDS = 2;
const LANES = [0, 1, 2, 3];
const AWAY_MS = 1_000;

/** Takes a group from its member without that one's knowing, as a session that ended does. */
const evict = async ({ brokers }: KafkaBroker, groupId: string): Promise<void> => {
  const cluster = createCluster({ brokers: [brokers] });
  await cluster.connect();
  await cluster.addMultipleTargetTopics([]);
  const coordinator = await cluster.findGroupCoordinator({ groupId, coordinatorType: 0 });
  const { groups } = await coordinator.describeGroups({ groupIds: [groupId] });
  for (const { memberId } of groups[0]?.members ?? []) await coordinator.leaveGroup({ groupId, memberId });
  await cluster.disconnect();
};

describeOnEngines('a broker that is killed with −9 and comes back', () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker[Symbol.asyncDispose]());

  const opened: EventLog[] = [];
  let prefix = '';
  beforeEach(() => {
    prefix = `${randomUUID()}.`;
  });
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
  });
  const open = async (): Promise<EventLog> => {
    const log = await openForFaults(`${broker.brokers}/${prefix}`, FAULT_TOPICS);
    opened.push(log);
    return log;
  };
  const openAccounts = async () => {
    const log = await openForFaults(`${broker.brokers}/${prefix}`, TOPICS);
    const codec = await openAccountCodec(openLocalRegistry(`${temporaryFolder()}/schemas.json`));
    const accounts = await startAccounts({ log, codec, clock: systemClock, onError: () => {} });
    onTestFinished(async () => {
      await accounts.stop();
      await log.close();
    });
    return accounts;
  };
  const restart = async (): Promise<void> => {
    await broker.kill('SIGKILL');
    await sleep(AWAY_MS);
    await broker.restart();
  };

  /** Appends and reads at once until it is told to stop; what was acknowledged, and what was read. */
  const runTraffic = async (log: EventLog, isDone: () => boolean) => {
    const consumer = await log.consume({ group: 'group', topics: ['plain', 'spread'] });
    const acknowledged: string[] = [];
    const read: string[] = [];
    const append = async (lane: number): Promise<void> => {
      for (let i = 0; !isDone(); i++) {
        const text = `${lane}:${i}`;
        const records = [{ topic: 'plain', key: text, value: Buffer.from(text) }];
        // Every third reaches several partitions.
        if (i % 3 === 0) records.push({ topic: 'spread', key: text, value: Buffer.from(`spread ${text}`) });
        await log.append(records);
        acknowledged.push(...records.map(({ value }) => value.toString()));
      }
    };
    const writing = Promise.all(LANES.map(append));
    let isWritten = false;
    const consume = async (): Promise<void> => {
      for (;;) {
        const batch = await consumer.poll({ maxBytes: 100_000, waitMs: 1_000 });
        if (batch === null && isWritten && read.length >= acknowledged.length) return;
        if (batch === null) continue;
        read.push(...batch.records.map(({ value }) => value.toString()));
        const { topic, partition, records } = batch;
        await consumer.commit({ topic, partition, offset: (records.at(-1)?.offset ?? -1) + 1, metadata: '' });
      }
    };
    const ended = Promise.all([
      consume(),
      writing.then(() => {
        isWritten = true;
      }),
    ]);
    return { acknowledged, read, ended };
  };

  test('nothing acknowledged is lost, and nothing doubled or disordered, in batches and in transactions', async () => {
    let isDone = false;
    const { acknowledged, read, ended } = await runTraffic(await open(), () => isDone);
    for (let round = 0; round < ROUNDS; round++) {
      const before = acknowledged.length;
      await restart();
      while (acknowledged.length < before + 200) await sleep(20);
    }
    isDone = true;
    await ended;
    expect(read.toSorted()).toEqual(acknowledged.toSorted());
    for (const lane of LANES) {
      const numbers = read
        .filter((text) => text.startsWith(`${lane}:`))
        .map((text) => Number(text.split(':')[1]));
      expect(numbers).toEqual(numbers.map((_, i) => i));
    }
  });

  test('a member that was away with its broker keeps its group and goes on', async () => {
    const log = await open();
    const consumer = await log.consume({ group: 'group', topics: ['plain'] });
    await restart();
    const commits = [{ topic: 'plain', partition: 0, offset: 1, metadata: 'after' }];
    await consumer.transact({ records: [{ topic: 'plain', key: '', value: Buffer.from('x') }], commits });
    expect(await log.commits('group')).toEqual(commits);
  });

  test('a group’s transaction is refused as soon as another member holds the group, whatever the first one believes', async () => {
    const [old, next] = [await open(), await open()];
    const first = await old.consume({ group: 'group', topics: ['plain'] });
    await evict(broker, `${prefix}group`);
    const second = await next.consume({ group: 'group', topics: ['plain'] });
    const records = [{ topic: 'plain', key: '', value: Buffer.from('late') }];
    const commits = [{ topic: 'plain', partition: 0, offset: 9, metadata: 'late' }];
    await expect(first.transact({ records, commits })).rejects.toThrow(FencedError);
    await expect(first.commit({ topic: 'plain', partition: 0, offset: 9, metadata: '' })).rejects.toThrow(
      FencedError,
    );
    expect(await next.commits('group')).toEqual([]);
    expect(await next.ranges('plain')).toMatchObject([{ end: 0 }]);
    await second.transact({ records, commits });
    expect(await next.commits('group')).toEqual(commits);
  });

  test('while the log is silent or gone no key is believed, and nobody is told that it is wrong; afterwards keys and revocations hold again', async () => {
    const [operator, api] = [await openAccounts(), await openAccounts()];
    const { accountId } = await operator.open('Example');
    const { key, keyId } = await operator.issueKey(accountId, 'server');
    const billing = {
      ledger: createMemoryLedger(systemClock),
      directory: api.directory,
      isOpen: () => false,
    };
    const { url, close } = await startApi({ clock: systemClock, billing });
    onTestFinished(() => close({ graceMs: 0 }));
    const statusOf = async () =>
      (await fetch(`${url}/billing/account`, { headers: { 'x-api-key': key } })).status;

    await expect.poll(statusOf, PATIENCE).toBe(200);
    await broker.kill('SIGSTOP');
    await expect.poll(statusOf, PATIENCE).toBe(503);
    await broker.kill('SIGCONT');
    await expect.poll(statusOf, PATIENCE).toBe(200);
    await broker.kill('SIGKILL');
    await expect.poll(statusOf, PATIENCE).toBe(503);
    await broker.restart();
    await expect.poll(statusOf, PATIENCE).toBe(200);
    await operator.revokeKey(keyId);
    await expect.poll(statusOf, PATIENCE).toBe(401);
  });
});
