import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { GenericContainer, Wait } from 'testcontainers';
import { parse } from 'yaml';
import { hasDocker } from './compose-engines.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HTTP_PORT = 8123;

/** A real ClickHouse server without tables of ours, as `CLICKHOUSE_URL` and `CLICKHOUSE_READER_URL` take its addresses. */
export type ClickHouseServer = AsyncDisposable & { readonly url: string; readonly readerUrl: string };

export type FoundClickHouse = { start(): Promise<ClickHouseServer> } | { readonly missing: string };

/**
 * Where suites find a server: the one of `TEST_CLICKHOUSE_URL` and `TEST_CLICKHOUSE_READER_URL`, which must be nobody's, or
 * that of docker-compose.yml in a container of its own, with our users and settings.
 */
export const findClickHouse = async (): Promise<FoundClickHouse> => {
  const { TEST_CLICKHOUSE_URL: url, TEST_CLICKHOUSE_READER_URL: readerUrl } = process.env;
  if (url && readerUrl)
    return { start: async () => ({ url, readerUrl, [Symbol.asyncDispose]: async () => {} }) };
  if (await hasDocker()) return { start: startContainer };
  return { missing: 'no Docker engine answers, and TEST_CLICKHOUSE_URL names no server' };
};

type Compose = { readonly services: { readonly clickhouse: { readonly image: string } } };

const startContainer = async (): Promise<ClickHouseServer> => {
  const compose = parse(readFileSync(`${ROOT}docker-compose.yml`, 'utf8')) as Compose;
  const [password, readerPassword] = [randomUUID(), randomUUID()];
  const container = await new GenericContainer(compose.services.clickhouse.image)
    .withEnvironment({
      SPOOR_CLICKHOUSE_PASSWORD: password,
      SPOOR_CLICKHOUSE_READER_PASSWORD: readerPassword,
      SPOOR_CLICKHOUSE_ANALYST_PASSWORD: randomUUID(),
    })
    .withCopyFilesToContainer(
      ['config.d/spoor.yaml', 'users.d/spoor.yaml'].map((file) => ({
        source: `${ROOT}infra/clickhouse/${file}`,
        target: `/etc/clickhouse-server/${file}`,
      })),
    )
    .withUlimits({ nofile: { soft: 262_144, hard: 262_144 } })
    .withExposedPorts(HTTP_PORT)
    .withWaitStrategy(Wait.forHttp('/ping', HTTP_PORT))
    .start();
  const place = `${container.getHost()}:${container.getMappedPort(HTTP_PORT)}`;
  return {
    url: `http://spoor:${password}@${place}`,
    readerUrl: `http://spoor_reader:${readerPassword}@${place}`,
    [Symbol.asyncDispose]: async () => {
      await container.stop();
    },
  };
};
