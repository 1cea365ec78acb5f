import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ROLES } from './endpoint.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Configuration } from './to-xml.ts';

/** The only definitions of our users and of what the port answers. ClickHouse servers use the same files. */
const FILES = new URL('../../../../infra/clickhouse/', import.meta.url);
const readFile = (name: string): unknown =>
  parse(readFileSync(new URL(name, FILES), 'utf8'), { merge: true });
const HOST = '127.0.0.1';

type UsersFile = {
  readonly users: Record<string, Configuration>;
  readonly profiles: Record<string, Configuration>;
  readonly quotas: Configuration;
};

/** The users of `infra/clickhouse` with passwords generated at this start, and the user `default`. */
export const usersConfiguration = (
  { credentials, users: more }: Pick<EngineOptions, 'credentials' | 'users'>,
  listens: readonly string[],
): Configuration => {
  const { users, profiles, quotas } = readFile('users.d/spoor.yaml') as UsersFile;
  const added = more as Partial<UsersFile>;
  const own = ROLES.map((role) => {
    const { username, password } = credentials[role];
    const { password: _, ...user } = users[username] ?? {};
    return [username, { ...user, networks: { ip: HOST }, password_sha256_hex: sha256(password) }];
  });
  return {
    profiles: {
      default: DEFAULTS,
      engine_itself: { ...DEFAULTS, ...BOUNDED },
      ...Object.fromEntries(
        Object.entries({ ...profiles, ...added.profiles }).map(([name, profile]) => [
          name,
          { ...DEFAULTS, ...profile },
        ]),
      ),
    },
    quotas: { default: {}, engine_itself: spentBy(listens.length + 1), ...quotas, ...added.quotas },
    users: { default: DEFAULT_USER, ...Object.fromEntries(own), ...added.users },
  };
};

const DEFAULTS = {
  // As on a server; the library's defaults differ.
  implicit_select: 0,
  async_insert: 0,
  allow_introspection_functions: 0,
  // The service uses the same processors.
  max_threads: 1,
};

/**
 * The engine itself logs in as this user, without a password and from an address that everybody on this
 * machine shares. It needs only queries that open ports, and one that waits. They use up its quota until
 * 2038, so that the engine answers nothing else from this user except queries without quota and grants.
 */
const DEFAULT_USER = {
  password: '',
  networks: { ip: HOST },
  profile: 'engine_itself',
  quota: 'engine_itself',
  grants: [
    { query: 'GRANT SYSTEM LISTEN ON *.*' },
    { query: 'GRANT SELECT ON system.one' },
    { query: 'GRANT SELECT ON system.numbers' },
  ],
};
const spentBy = (queries: number) => ({ interval: { duration: 2 ** 31 - 1, queries } });
const BOUNDED = {
  max_threads: 1,
  max_memory_usage: 50_000_000,
  constraints: {
    max_threads: { readonly: {} },
    max_memory_usage: { readonly: {} },
    add_http_cors_header: { readonly: {} },
  },
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const CACHE_SHARE = 8;

export const serverConfiguration = ({
  limits,
  port,
  configuration,
}: Pick<EngineOptions, 'limits' | 'port' | 'configuration'>): Configuration => {
  const cacheBytes = Math.floor(limits.engineMemoryBytesMax / CACHE_SHARE);
  const { http_handlers } = readFile('config.d/spoor.yaml') as Record<'http_handlers', Configuration>;
  return {
    listen_host: HOST,
    http_port: port,
    http_handlers,
    max_server_memory_usage: limits.engineMemoryBytesMax,
    // By default each of these may grow to 5 GiB, which can exceed the engine's memory limit.
    mark_cache_size: cacheBytes,
    primary_index_cache_size: cacheBytes,
    // Deletes a dropped table at once, because the engine may be killed within the usual eight minutes.
    database_atomic_delay_before_drop_table_sec: 0,
    // The library enables all of these. A server has them enabled, too, except the first.
    access_control_improvements: {
      table_engines_require_grant: false,
      enable_read_write_grants: true,
    },
    ...configuration,
  };
};
