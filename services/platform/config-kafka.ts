/** Where the Kafka event log and the registry of its schemas are. The URL may carry a password: never print it. */
export type KafkaEngines = { readonly brokers: readonly string[]; readonly registryUrl: string };

type Given = { readonly brokers: string | undefined; readonly registryUrl: string | undefined };
type Problem = { readonly variable: 'KAFKA_BROKERS' | 'SCHEMA_REGISTRY_URL'; readonly problem: string };

const BROKER = /^(\[[\da-fA-F:]+\]|[\w.-]+):\d{1,5}$/;

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

/**
 * Reads KAFKA_BROKERS and SCHEMA_REGISTRY_URL; null engines where neither is given. One alone is a problem: records
 * and the schemas they are read by must not lie in two worlds.
 */
export const parseKafka = ({
  brokers,
  registryUrl,
}: Given): { engines: KafkaEngines | null; problems: Problem[] } => {
  const problems: Problem[] = [];
  const list = (brokers ?? '').split(',').map((broker) => broker.trim());
  if (brokers !== undefined && !list.every((broker) => BROKER.test(broker)))
    problems.push({ variable: 'KAFKA_BROKERS', problem: 'is not accepted; accepted is host:port,host:port' });
  if (registryUrl !== undefined && !isHttpUrl(registryUrl))
    problems.push({
      variable: 'SCHEMA_REGISTRY_URL',
      problem: 'is not accepted; accepted is a URL that begins with http:// or https://',
    });
  if (brokers !== undefined && registryUrl === undefined)
    problems.push({ variable: 'SCHEMA_REGISTRY_URL', problem: 'is needed where KAFKA_BROKERS is set' });
  if (brokers === undefined && registryUrl !== undefined)
    problems.push({ variable: 'KAFKA_BROKERS', problem: 'is needed where SCHEMA_REGISTRY_URL is set' });
  const isComplete = brokers !== undefined && registryUrl !== undefined && problems.length === 0;
  return { engines: isComplete ? { brokers: list, registryUrl } : null, problems };
};
