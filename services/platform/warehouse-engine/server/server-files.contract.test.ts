import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = new URL('../../../../', import.meta.url);
const read = (file: string) => parse(readFileSync(new URL(file, ROOT), 'utf8'), { merge: true });

const folder = mkdtempSync(join(tmpdir(), 'spoor-server-files-'));
const engine = new Session(folder);
afterAll(() => {
  engine.close();
  rmSync(folder, { recursive: true, force: true });
});

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

test('the engine reads every grant, knows every setting, and only the service may write', () => {
  const known = new Set(engine.query('SELECT name FROM system.settings', 'TSV').trim().split('\n'));
  for (const [name, { grants, profile, quota }] of Object.entries(users)) {
    for (const { query } of grants) {
      expect(engine.query(`EXPLAIN AST ${query} TO ${name}`, 'TSV')).toContain('GrantQuery');
      if (name !== 'spoor') expect(query).toMatch(/^GRANT SELECT ON /);
    }
    expect([...Object.keys(quotas), 'default']).toContain(quota);
    const { constraints = {}, ...settings } = profiles[profile] ?? {};
    for (const setting of [...Object.keys(settings), ...Object.keys(constraints)])
      expect(known).toContain(setting);
    expect(settings.readonly ?? 0).toBe(name === 'spoor' ? 0 : 2);
  }
});

test('every password comes from what the container is given, and the image is the engine that the tests run', () => {
  const { services } = read('docker-compose.yml') as {
    services: { clickhouse: { image: string; environment: object } };
  };
  const { image, environment } = services.clickhouse;
  for (const { password } of Object.values(users)) expect(environment).toHaveProperty(password['@from_env']);
  expect(engine.query('SELECT version()', 'TSV')).toMatch(
    new RegExp(`^${image.split(':')[1]?.replace('.', '\\.')}\\.`),
  );
});

test('questions of those who only read end, in time and in memory, and those of analysts are counted', () => {
  const caps = ['max_execution_time', 'max_memory_usage'];
  for (const [name, { profile, quota }] of Object.entries(users)) {
    if (name === 'spoor') continue;
    const { constraints = {}, ...settings } = profiles[profile] ?? {};
    for (const cap of caps) {
      const { max } = constraints[cap] as { max: number };
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

test('what the server keeps of itself has an end', () => {
  const logs = Object.entries(
    read('infra/clickhouse/config.d/spoor.yaml') as Record<string, { ttl?: string }>,
  );
  expect(logs.map(([name]) => name)).toEqual(expect.arrayContaining(KEPT_FOR_EVER));
  for (const [name, log] of logs.filter(([name]) => name.endsWith('_log')))
    if (!('@remove' in log))
      expect(
        engine.query(
          `SELECT toDateTime(0) AS event_time, toDate(0) AS event_date, ${log.ttl?.replace(/ DELETE$/, '')}`,
          'TSV',
        ),
        name,
      ).toContain('1970-01');
});
