import { isHttpAddress } from '../split-login.ts';
import { type KafkaSecurity, parseKafkaSecurity, type SecurityVariable } from './kafka-security.ts';

/** Where the Kafka event log and the registry of its schemas are. It may carry passwords: never print it. */
export type KafkaEngines = KafkaSecurity & {
  readonly brokers: readonly string[];
  /** With user and password where the registry asks for them, percent-encoded. */
  readonly registryUrl: string;
  /** Stands before the names of all topics and groups, so that others can use the same brokers. */
  readonly prefix: string;
  /** Of what is written; what lies on the brokers is read either way. */
  readonly compression: 'zstd' | 'none';
};

const VARIABLES = ['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'KAFKA_PREFIX', 'KAFKA_COMPRESSION'] as const;

type Variable = (typeof VARIABLES)[number] | SecurityVariable;
type Problem = { readonly variable: Variable; readonly problem: string };

const BROKER = /^(\[[\da-fA-F:]+\]|[\w.-]+):\d{1,5}$/;

/**
 * Reads the variables; null engines where neither brokers nor a registry are given. One alone is a problem:
 * records and the schemas they are read by must not lie in two worlds.
 */
export const parseKafka = (
  given: (variable: Variable) => string | undefined,
): { engines: KafkaEngines | null; problems: Problem[] } => {
  const brokers = given('KAFKA_BROKERS');
  const registryUrl = given('SCHEMA_REGISTRY_URL');
  const prefix = given('KAFKA_PREFIX') ?? '';
  const compression = given('KAFKA_COMPRESSION') === 'none' ? 'none' : 'zstd';
  const problems: Problem[] = [];
  if (![undefined, 'zstd', 'none'].includes(given('KAFKA_COMPRESSION')))
    problems.push({ variable: 'KAFKA_COMPRESSION', problem: 'is not accepted; accepted are zstd and none' });
  if (!/^[\w.-]{0,100}$/.test(prefix))
    problems.push({
      variable: 'KAFKA_PREFIX',
      problem: 'is not accepted; accepted are up to 100 letters, digits, ".", "_" and "-"',
    });
  const list = (brokers ?? '').split(',').map((broker) => broker.trim());
  if (
    brokers !== undefined &&
    !list.every((broker) => BROKER.test(broker) && URL.canParse(`tcp://${broker}`))
  )
    problems.push({ variable: 'KAFKA_BROKERS', problem: 'is not accepted; accepted is host:port,host:port' });
  if (registryUrl !== undefined && !isHttpAddress(registryUrl))
    problems.push({
      variable: 'SCHEMA_REGISTRY_URL',
      problem:
        'is not accepted; accepted is https://user:password@host, or http, with "%" and the like in them percent-encoded',
    });
  if (brokers !== undefined && registryUrl === undefined)
    problems.push({ variable: 'SCHEMA_REGISTRY_URL', problem: 'is needed where KAFKA_BROKERS is set' });
  if (brokers === undefined && registryUrl !== undefined)
    problems.push({ variable: 'KAFKA_BROKERS', problem: 'is needed where SCHEMA_REGISTRY_URL is set' });
  const { security, problems: ofSecurity } = parseKafkaSecurity(given);
  const all = [...problems, ...ofSecurity];
  const isComplete = brokers !== undefined && registryUrl !== undefined && all.length === 0;
  const engines: KafkaEngines | null = isComplete
    ? { brokers: list, registryUrl, prefix, compression, ...security }
    : null;
  return { engines, problems: all };
};
