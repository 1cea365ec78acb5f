import { fileURLToPath } from 'node:url';
import { DockerComposeEnvironment, type StartedDockerComposeEnvironment, Wait } from 'testcontainers';
import { freePort } from '../../platform/free-port.ts';
import type { KafkaBroker } from './kafka-broker.ts';
import { runToEnd } from './run-to-end.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FILES = ['docker-compose.yml', 'infra/kafka/host-access.yaml'];
const HOST = '127.0.0.1';
/** The file asks for them; the services that use them are not started. */
const UNUSED = {
  SPOOR_CLICKHOUSE_PASSWORD: 'unused',
  SPOOR_CLICKHOUSE_READER_PASSWORD: 'unused',
  SPOOR_CLICKHOUSE_ANALYST_PASSWORD: 'unused',
  GRAFANA_PASSWORD: 'unused',
};

/** Whether a Docker engine answers here. */
export const hasDocker = async (): Promise<boolean> => {
  try {
    await runToEnd('docker', ['version']);
    return true;
  } catch {
    return false;
  }
};

const compose = async (...services: string[]) => {
  const ports = { kafka: await freePort(), registry: await freePort() };
  const environment = await new DockerComposeEnvironment(ROOT, FILES)
    .withEnvironment({
      ...UNUSED,
      SPOOR_KAFKA_PORT: String(ports.kafka),
      SPOOR_REGISTRY_PORT: String(ports.registry),
    })
    .withDefaultWaitStrategy(Wait.forHealthCheck())
    .up(services);
  return { ports, environment };
};

const remove = async (environment: StartedDockerComposeEnvironment): Promise<void> => {
  await environment.down({ removeVolumes: true });
};

/** The broker of docker-compose.yml in containers of its own, gone with what it stored when it is disposed of. */
export const composeBroker = async (): Promise<KafkaBroker> => {
  const { ports, environment } = await compose('kafka');
  const id = environment.getContainer('kafka-1').getId();
  return {
    brokers: `${HOST}:${ports.kafka}`,
    secured: null,
    kill: async (signal) => {
      await runToEnd('docker', ['kill', '--signal', signal, id]);
    },
    restart: async () => {
      await runToEnd('docker', ['start', id]);
    },
    [Symbol.asyncDispose]: () => remove(environment),
  };
};

/** The broker and the registry of docker-compose.yml, which keeps its schemas in Kafka. */
export const composeEngines = async () => {
  const { ports, environment } = await compose('kafka', 'registry');
  return {
    brokers: `${HOST}:${ports.kafka}`,
    registryUrl: `http://${HOST}:${ports.registry}/apis/ccompat/v7`,
    [Symbol.asyncDispose]: () => remove(environment),
  };
};
