import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ROLES } from './endpoint.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Configuration } from './to-xml.ts';

/** The one definition of our users: ClickHouse servers get this file as it is. */
const USERS_FILE = new URL('../../../../infra/clickhouse/users.d/spoor.yaml', import.meta.url);
const HOST = '127.0.0.1';

type UsersFile = {
  readonly users: Record<string, Configuration>;
  readonly profiles: Record<string, Configuration>;
  readonly quotas: Configuration;
};

/** The users of `infra/clickhouse`, with passwords of this start, and the user `default`. */
export const usersConfiguration = (
  { credentials }: Pick<EngineOptions, 'credentials'>,
  listens: readonly string[],
): Configuration => {
  const { users, profiles, quotas } = parse(readFileSync(USERS_FILE, 'utf8'), { merge: true }) as UsersFile;
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
        Object.entries(profiles).map(([name, profile]) => [name, { ...DEFAULTS, ...profile }]),
      ),
    },
    quotas: { default: {}, engine_itself: spentBy(listens.length + 1), ...quotas },
    users: { default: DEFAULT_USER, ...Object.fromEntries(own) },
  };
};

const DEFAULTS = {
  // As on a server; the library has others.
  implicit_select: 0,
  async_insert: 0,
  allow_introspection_functions: 0,
  // The service computes on the same processors.
  max_threads: 1,
};

/**
 * The engine itself logs in as this user, without a password and from an address that it shares with everybody on this machine. What
 * it needs are queries that open ports, and one that waits. Its quota is spent with them, until 2038: of what others ask in this
 * name, the engine answers only what counts for no quota and needs no grant.
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
  constraints: { max_threads: { readonly: {} }, max_memory_usage: { readonly: {} } },
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const CACHE_SHARE = 8;

export const serverConfiguration = ({
  limits,
  port,
  configuration,
}: Pick<EngineOptions, 'limits' | 'port' | 'configuration'>): Configuration => {
  const cacheBytes = Math.floor(limits.engineMemoryBytesMax / CACHE_SHARE);
  return {
    listen_host: HOST,
    http_port: port,
    max_server_memory_usage: limits.engineMemoryBytesMax,
    // By default each of these may grow to 5 GiB, which can be more than the engine may hold.
    mark_cache_size: cacheBytes,
    primary_index_cache_size: cacheBytes,
    // A dropped table is gone at once: the engine may be killed before the usual eight minutes are over.
    database_atomic_delay_before_drop_table_sec: 0,
    // The library switches all of these on. They are on in a server, too, but for the first.
    access_control_improvements: {
      table_engines_require_grant: false,
      enable_read_write_grants: true,
    },
    ...configuration,
  };
};
