import { randomUUID } from 'node:crypto';
import { describeOnEngines } from '../../../testing/engines/describe-on-engines.ts';
import { describeEventLog } from '../event-log.contract.ts';
import { applyTopics } from './apply-topics.ts';
import { createAdmin } from './kafka-client.ts';
import { openKafkaLog } from './open-kafka-log.ts';

const deleteTopics = async (brokers: string, topics: string[]): Promise<void> => {
  const admin = createAdmin({ brokers: [brokers] });
  await admin.connect();
  await admin.deleteTopics({ topics });
  await admin.disconnect();
};

describeOnEngines('a real broker', ({ brokers }) => {
  describeEventLog(
    'kafka event log',
    {
      hasMarks: true,
      provision: async () => {
        const address = { brokers: [brokers], prefix: `${randomUUID()}.` };
        const names = new Set<string>();
        return {
          open: async (options) => {
            await applyTopics({ ...address, topics: options.topics });
            for (const { name } of options.topics) names.add(address.prefix + name);
            return openKafkaLog({ ...address, ...options });
          },
          remove: () => deleteTopics(brokers, [...names]),
        };
      },
    },
    { modelRuns: 10 },
  );
});
