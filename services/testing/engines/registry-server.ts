import { join } from 'node:path';
import { freePort } from '../../platform/free-port.ts';
import { fetchWithMaven } from './fetch-with-maven.ts';
import { type JavaServer, startJavaServer } from './java-server.ts';

const HOST = '127.0.0.1';
// As the broker's.
const JVM = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
// Newer ones need Java 21.
const VERSION = '3.0.9';
const ANSWER_MS = 1_000;

export type RegistryServer = JavaServer & {
  /** As SCHEMA_REGISTRY_URL takes it. The same after a restart. */
  readonly url: string;
};

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(ANSWER_MS) })).ok;
  } catch {
    return false;
  }
};

/**
 * A schema registry that speaks the Confluent API (Apicurio), on free ports of 127.0.0.1. It keeps everything in memory:
 * after a restart it has forgotten all ids, and hands them out anew. Throws `EngineMissingError` where it cannot run.
 */
export const startRegistryServer = async (): Promise<RegistryServer> => {
  const artifact = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`;
  const app = await fetchWithMaven(`apicurio-registry-${VERSION}`, [
    'dependency:unpack',
    `-Dartifact=${artifact}`,
  ]);
  const ports = { client: await freePort(), management: await freePort() };
  const url = `http://${HOST}:${ports.client}/apis/ccompat/v7`;
  const server = await startJavaServer({
    name: 'schema-registry',
    prepare: async () => [
      ...JVM,
      `-Dquarkus.http.host=${HOST}`,
      `-Dquarkus.http.port=${ports.client}`,
      `-Dquarkus.management.host=${HOST}`,
      `-Dquarkus.management.port=${ports.management}`,
      ...['-jar', join(app, `apicurio-registry-app-${VERSION}-runner.jar`)],
    ],
    answers: () => answers(url),
  });
  return { ...server, url };
};
