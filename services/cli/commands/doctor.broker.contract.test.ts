import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openKafkaLog } from '../../platform/event-log/kafka/open-kafka-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { describeOnEngines } from '../../testing/engines/describe-on-engines.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, runProgram } from '../../testing/run-program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const LETTERS = 3;
const MIB = 1 << 20;

describeOnEngines('doctor, on a real broker and registry', ({ brokers, registryUrl }) => {
  test('says of what it counts by offsets that there are at most so many', async () => {
    const prefix = `${randomUUID()}.`;
    const env = {
      ...{ KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registryUrl, KAFKA_PREFIX: prefix },
      // Which nodes does not matter: without any, the store would be of a generated world.
      ...{ SPOOR_DATA: temporaryFolder(), SPOOR_CHAINS: 'solana=http://127.0.0.1:1' },
    };
    const doctor = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runCommand(['doctor', ...args], env);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    expect(await runProgram(PROGRAMS.cli, ['topics', 'apply'], env)).toMatchObject({ code: 0 });
    const limits = { maxQueuedBytes: MIB, maxRecordBytes: MIB };
    const log = await openKafkaLog({ brokers: [brokers], prefix, topics: TOPICS, ...limits });
    // Two topics at once make a transaction, whose end has an offset of its own.
    const value = Buffer.from('no record of ours');
    for (let n = 0; n < LETTERS; n++)
      await log.append([
        { topic: 'dead-letters', key: 'x', value },
        { topic: 'transfers.history', key: 'x', value },
      ]);
    await log.close();
    const report = JSON.parse(await doctor('--json')) as Record<string, number | string>;
    expect(report.counts).toBe('at_most');
    expect(report.dead_letters).toBeGreaterThanOrEqual(LETTERS);
    expect(report.lag_records).toBeGreaterThanOrEqual(LETTERS);
    const words = `store chain: at most ${report.lag_records} records not yet in the tables, at most ${report.dead_letters} dead letters`;
    expect((await doctor()).split('\n')[0]).toBe(words);
  });
});
