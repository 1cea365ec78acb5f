import { isHttpAddress } from '../login.ts';
import { type Addresses, addressesOf } from './addresses.ts';
import { type KafkaSecurity, parseKafkaSecurity, SECURITY_VARIABLES } from './kafka-security.ts';

/** The brokers of the event log and the schema registry. May contain passwords: never print it. */
export type KafkaEngines = KafkaSecurity & {
  readonly brokers: readonly string[];
  /** With percent-encoded user and password if the registry requires them. Several servers are tried in turn. */
  readonly registryUrls: Addresses;
  /** Prefix of all topic and group names, so that others can use the same brokers. */
  readonly prefix: string;
  /** For writing. Reading handles every compression. */
  readonly compression: 'zstd' | 'none';
};

export const KAFKA_VARIABLES = [
  'KAFKA_BROKERS',
  'SCHEMA_REGISTRY_URL',
  'KAFKA_PREFIX',
  'KAFKA_COMPRESSION',
  ...SECURITY_VARIABLES,
] as const;

type Variable = (typeof KAFKA_VARIABLES)[number];
type Problem = { readonly variable: Variable; readonly problem: string };

const ACCEPTED_URL =
  'is not accepted; accepted is https://user:password@host, or http, with "%" and the like in them percent-encoded; several are separated by commas';

const isBroker = (text: string): boolean =>
  /^(\[[\da-fA-F:]+\]|[\w.-]+):\d{1,5}$/.test(text) && URL.canParse(`tcp://${text}`);

/**
 * Reads the variables; null when neither brokers nor a registry are configured. One alone is a problem,
 * because records and their schemas belong together.
 */
export const parseKafka = (
  given: (variable: Variable) => string | undefined,
): { engines: KafkaEngines | null; problems: Problem[] } => {
  const brokers = given('KAFKA_BROKERS');
  const registryUrls = addressesOf(given('SCHEMA_REGISTRY_URL'));
  const prefix = given('KAFKA_PREFIX') ?? '';
  const compression = given('KAFKA_COMPRESSION') === 'none' ? 'none' : 'zstd';
  const problems: Problem[] = [];
  const refuse = (variable: Variable, problem: string): void => void problems.push({ variable, problem });
  if (![undefined, 'zstd', 'none'].includes(given('KAFKA_COMPRESSION')))
    refuse('KAFKA_COMPRESSION', 'is not accepted; accepted are zstd and none');
  if (!/^[\w.-]{0,100}$/.test(prefix))
    refuse('KAFKA_PREFIX', 'is not accepted; accepted are up to 100 letters, digits, ".", "_" and "-"');
  const list = brokers?.split(',').map((broker) => broker.trim());
  if (list?.every(isBroker) === false)
    refuse('KAFKA_BROKERS', 'is not accepted; accepted is host:port,host:port');
  if (registryUrls?.every(isHttpAddress) === false) refuse('SCHEMA_REGISTRY_URL', ACCEPTED_URL);
  if (list && !registryUrls) refuse('SCHEMA_REGISTRY_URL', 'is needed where KAFKA_BROKERS is set');
  if (!list && registryUrls) refuse('KAFKA_BROKERS', 'is needed where SCHEMA_REGISTRY_URL is set');
  const { security, problems: ofSecurity } = parseKafkaSecurity(given);
  problems.push(...ofSecurity);
  if (!list || !registryUrls || problems.length > 0) return { engines: null, problems };
  return { engines: { brokers: list, registryUrls, prefix, compression, ...security }, problems };
};
