import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GenericContainer, Wait } from 'testcontainers';
import { parse } from 'yaml';
import type { Credentials } from '../../platform/warehouse-engine/create-clients.ts';
import { readEndpoint } from '../../platform/warehouse-engine/embedded/endpoint.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { hasDocker } from './compose-engines.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HTTP_PORT = 8123;

/** A ClickHouse server without tables of ours. The addresses are of its three users, as `CLICKHOUSE_URL` takes them. */
export type ClickHouseServer = AsyncDisposable & {
  readonly url: string;
  readonly readerUrl: string;
  readonly analystUrl: string;
};

/** That of docker-compose.yml in a container of its own where Docker answers, else one of our own in a folder of its own. */
export const startClickHouse = async (): Promise<ClickHouseServer & { readonly runOn: string }> =>
  (await hasDocker())
    ? { ...(await startContainer()), runOn: 'Docker' }
    : { ...(await startProcess()), runOn: 'this machine' };

const startProcess = async (): Promise<ClickHouseServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-server-'));
  const engine = await startEmbeddedWarehouse({ folder, database: 'spoor_unused' });
  return {
    ...urlsOf(folder),
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Where the users of the engine that runs on this folder log in. */
export const urlsOf = (folder: string): Pick<ClickHouseServer, 'url' | 'readerUrl' | 'analystUrl'> => {
  const endpoint = readEndpoint(folder);
  if (!endpoint) throw new Error('a running engine says how it is reached');
  const urlOf = ({ username, password }: Credentials) =>
    `http://${username}:${password}@127.0.0.1:${endpoint.port}`;
  const { writer, reader, analyst } = endpoint.credentials;
  return { url: urlOf(writer), readerUrl: urlOf(reader), analystUrl: urlOf(analyst) };
};

type Compose = { readonly services: { readonly clickhouse: { readonly image: string } } };

const startContainer = async (): Promise<ClickHouseServer> => {
  const compose = parse(readFileSync(`${ROOT}docker-compose.yml`, 'utf8')) as Compose;
  const [password, readerPassword, analystPassword] = [randomUUID(), randomUUID(), randomUUID()];
  const container = await new GenericContainer(compose.services.clickhouse.image)
    .withEnvironment({
      SPOOR_CLICKHOUSE_PASSWORD: password,
      SPOOR_CLICKHOUSE_READER_PASSWORD: readerPassword,
      SPOOR_CLICKHOUSE_ANALYST_PASSWORD: analystPassword,
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
    analystUrl: `http://analyst:${analystPassword}@${place}`,
    [Symbol.asyncDispose]: async () => {
      await container.stop();
    },
  };
};
