import { Command, InvalidArgumentError } from 'commander';
import { ConfigError, loadConfig } from '../../platform/config/config.ts';
import { applyStoreTopics } from '../../roles/store/apply-store-topics.ts';
import { chooseStore } from '../../roles/store/choose-store.ts';
import { example } from '../example.ts';
import { whileWaiting } from '../reports/start-waiting.ts';

type Options = { replication?: number; minInSync?: number; json?: boolean };

const APPLY = 'spoor topics apply --replication 3 --min-in-sync 2';
const COPIES_MAX = 100;

const copies = (text: string): number => {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > COPIES_MAX)
    throw new InvalidArgumentError(`a whole number from 1 to ${COPIES_MAX} is accepted`);
  return Number(text);
};

/** `spoor topics apply`: creates the declared topics on the brokers. */
export const topicsCommand = (): Command =>
  new Command('topics')
    .description('Topics of the event log on the brokers (KAFKA_BROKERS).')
    .addHelpText('after', example(APPLY))
    .addCommand(
      new Command('apply')
        .description('Create topics that are missing and set what differs; changes nothing else.')
        .option('--replication <copies>', 'copies of each partition of a topic that is created', copies)
        .option('--min-in-sync <copies>', 'copies that must have a record before it counts', copies)
        .addHelpText(
          'after',
          '\nWhat is not given is left to the brokers. The log is the source of truth: 3 and 2 survive a broker.',
        )
        .addHelpText('after', example(APPLY))
        .option('--json', 'one JSON line a topic on stdout')
        .action(applyToBrokers),
    );

const applyToBrokers = async ({ replication, minInSync, json }: Options): Promise<void> => {
  const config = loadConfig(process.env);
  if (!config.kafka)
    throw new ConfigError([
      { variable: 'KAFKA_BROKERS', problem: 'is not set: an embedded event log has no topics to apply' },
    ]);
  const { kafka } = config;
  const applied = await whileWaiting('asking the brokers', () =>
    applyStoreTopics(kafka, chooseStore(config), {
      ...(replication === undefined ? {} : { replicationFactor: replication }),
      ...(minInSync === undefined ? {} : { minInSyncReplicas: minInSync }),
    }),
  );
  for (const { topic, action, changed } of applied) {
    const line = json ? JSON.stringify({ topic, action, changed }) : [topic, action, ...changed].join(' ');
    process.stdout.write(`${line}\n`);
  }
};
