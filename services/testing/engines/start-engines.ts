import { composeBroker, composeEngines, hasDocker } from './compose-engines.ts';
import { type KafkaBroker, startKafkaBroker } from './kafka-broker.ts';
import { startRegistryServer } from './registry-server.ts';
import type { SecuredListener } from './secured-listener.ts';

export type Engines = AsyncDisposable & {
  /** As KAFKA_BROKERS and SCHEMA_REGISTRY_URL take them. */
  readonly brokers: string;
  readonly registryUrl: string;
  /** Of the same broker; null on Docker, and where it was not asked for. */
  readonly secured: SecuredListener | null;
  readonly runOn: 'Docker' | 'Java';
};

/**
 * A Kafka broker and a schema registry: those of docker-compose.yml where a Docker engine answers, else programs of their
 * own on this machine's Java. Throws `EngineMissingError` where neither can run.
 */
export const startEngines = async ({ isSecured = false } = {}): Promise<Engines> => {
  if (await hasDocker()) return { ...(await composeEngines()), secured: null, runOn: 'Docker' };
  const engines = new AsyncDisposableStack();
  try {
    const { brokers, secured } = engines.use(await startKafkaBroker({ isSecured }));
    const { url } = engines.use(await startRegistryServer());
    const dispose = () => engines.disposeAsync();
    return { brokers, registryUrl: url, secured, runOn: 'Java', [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await engines.disposeAsync();
    throw error;
  }
};

/** A broker that may be killed, by the same choice. */
export const startBroker = async (): Promise<KafkaBroker> =>
  (await hasDocker()) ? composeBroker() : startKafkaBroker();
