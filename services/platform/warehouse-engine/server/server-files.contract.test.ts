import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { createWarehouseClient } from '../create-clients.ts';
import { ROLES, readEndpoint } from '../embedded/endpoint.ts';
import { type EmbeddedWarehouse, startEmbeddedWarehouse } from '../embedded/start-embedded-warehouse.ts';
import type { Configuration } from '../embedded/to-xml.ts';
import type { WarehouseClient } from '../warehouse.ts';

const ROOT = new URL('../../../../', import.meta.url);
const read = (file: string) => parse(readFileSync(new URL(file, ROOT), 'utf8'), { merge: true });

const folder = mkdtempSync(join(tmpdir(), 'spoor-server-files-'));
let engine: EmbeddedWarehouse;
beforeAll(async () => {
  engine = await startEmbeddedWarehouse({ folder, database: 'spoor' });
});
afterAll(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true, force: true });
});

const column = async (query: string, client: WarehouseClient = engine.writer): Promise<string[]> => {
  const answer = await client.query({ query, format: 'JSONCompactEachRow' });
  return (await answer.json<[string]>()).map(([value]) => String(value));
};

type User = {
  profile: string;
  quota: string;
  grants: { query: string }[];
  password: { '@from_env': string };
};
type Profile = Record<string, unknown> & { constraints?: Record<string, unknown> };
const { users, profiles, quotas } = read('infra/clickhouse/users.d/spoor.yaml') as {
  users: Record<string, User>;
  profiles: Record<string, Profile>;
  quotas: Record<string, unknown>;
};

test('those who only read have the grants of the file on the embedded engine, and no others', async () => {
  const { port, credentials } = readEndpoint(folder) ?? {};
  expect(Object.keys(users).toSorted()).toEqual(
    ROLES.map((role) => credentials?.[role].username ?? '').toSorted(),
  );
  for (const role of ['reader', 'analyst'] as const) {
    const login = credentials?.[role] ?? { username: '', password: '' };
    const client = createWarehouseClient({
      ...{ url: `http://127.0.0.1:${port}`, database: 'spoor', credentials: login },
    });
    const granted = users[login.username]?.grants.map(({ query }) => `${query} TO ${login.username}`) ?? [];
    for (const grant of granted) expect(grant).toMatch(/^GRANT SELECT ON /);
    expect((await column('SHOW GRANTS', client)).toSorted()).toEqual(granted.toSorted());
    await client.close();
  }
});

test('the engine knows every setting, and only the service may write', async () => {
  const known = new Set(await column('SELECT name FROM system.settings'));
  for (const [name, { profile, quota }] of Object.entries(users)) {
    expect([...Object.keys(quotas), 'default']).toContain(quota);
    const { constraints = {}, ...settings } = profiles[profile] ?? {};
    for (const setting of [...Object.keys(settings), ...Object.keys(constraints)])
      expect(known).toContain(setting);
    expect(settings.readonly ?? 0).toBe(name === 'spoor' ? 0 : 2);
  }
});

test('every password comes from what the container is given, and the image is the engine that the tests run', async () => {
  const { services } = read('docker-compose.yml') as {
    services: { clickhouse: { image: string; environment: object } };
  };
  const { image, environment } = services.clickhouse;
  for (const { password } of Object.values(users)) expect(environment).toHaveProperty(password['@from_env']);
  const [version] = await column('SELECT version()');
  expect(version).toMatch(new RegExp(`^${image.split(':')[1]?.replace('.', '\\.')}\\.`));
});

test('questions of those who only read end, in time and in memory, and those of analysts are counted', () => {
  const caps = ['max_execution_time', 'max_memory_usage'];
  for (const [name, { profile, quota }] of Object.entries(users)) {
    if (name === 'spoor') continue;
    const { constraints = {}, ...settings } = profiles[profile] ?? {};
    for (const cap of caps) {
      const { min, max } = constraints[cap] as { min: number; max: number };
      // Nought would mean no limit.
      expect(min).toBeGreaterThan(0);
      expect(settings[cap], `${name} ${cap}`).toBeGreaterThan(0);
      expect(settings[cap], `${name} ${cap}`).toBeLessThanOrEqual(max);
    }
    if (name === 'analyst')
      expect(quotas[quota]).toMatchObject({ interval: { queries: expect.any(Number) } });
  }
});

/**
 * What a server writes down about itself unless it is told otherwise, and never forgets by itself:
 * https://github.com/ClickHouse/ClickHouse/blob/master/programs/server/config.xml. Crashes are few.
 */
const KEPT_FOR_EVER = [
  ...['query_log', 'query_thread_log', 'query_views_log', 'query_metric_log', 'part_log', 'trace_log'],
  ...['text_log', 'error_log', 'metric_log', 'asynchronous_metric_log', 'latency_log', 'backup_log'],
  ...['opentelemetry_span_log', 'background_schedule_pool_log', 's3queue_log'],
];

test('what the server keeps of itself has an end', async () => {
  const logs = Object.entries(
    read('infra/clickhouse/config.d/spoor.yaml') as Record<string, { ttl?: string }>,
  );
  expect(logs.map(([name]) => name)).toEqual(expect.arrayContaining(KEPT_FOR_EVER));
  for (const [name, log] of logs.filter(([name]) => name.endsWith('_log')))
    if (!('@remove' in log)) {
      const ttl = log.ttl?.replace(/ DELETE$/, '');
      const query = `SELECT toString(${ttl}) FROM (SELECT toDateTime(0, 'UTC') AS event_time, toDate(0) AS event_date)`;
      expect((await column(query))[0], name).toContain('1970-01');
    }
});

test('an engine starts on the whole file for servers and obeys its limits', async () => {
  const file = read('infra/clickhouse/config.d/spoor.yaml') as Record<string, Configuration>;
  // Those that the file removes are not there in the first place.
  const kept = Object.entries(file).filter(([, value]) => typeof value !== 'object' || !('@remove' in value));
  const own = temporaryFolder();
  const server = await startEmbeddedWarehouse({
    ...{ folder: own, database: 'spoor', configuration: Object.fromEntries(kept) },
  });
  try {
    const of = (query: string) => column(query, server.writer);
    const limits = ['max_concurrent_queries', 'max_server_memory_usage_to_ram_ratio'];
    for (const limit of limits)
      expect(await of(`SELECT value FROM system.server_settings WHERE name = '${limit}'`)).toEqual([
        String(file[limit]),
      ]);
  } finally {
    await server.close();
  }
});
