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

test('what the server keeps of itself has an end', () => {
  const logs = Object.entries(
    read('infra/clickhouse/config.d/spoor.yaml') as Record<string, { ttl?: string }>,
  );
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
