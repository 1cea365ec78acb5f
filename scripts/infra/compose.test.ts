import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../services/platform/config/config.ts';
import { ROLES } from '../../services/roles/service-process.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');
type Service = {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, object>;
  ulimits?: { nofile: number };
  networks?: string[];
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
};
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: object;
  networks: Record<string, { internal?: boolean } | null>;
};
const services = Object.entries(compose.services);
const roles = services.filter(([, { command }]) => command?.[0] === 'start');

/** As Compose fills them in where everything that must be given is. */
const filled = (environment: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      String(value)
        .replace(/\$\{\w+:\?\}/g, 'secret')
        .replace(/\$\{\w+:-([^}]*)\}/g, '$1'),
    ]),
  );

test('every role of the command line runs, under a configuration that the service takes', () => {
  expect(roles.map(([, { command }]) => command)).toEqual(
    expect.arrayContaining(ROLES.map((role) => ['start', role])),
  );
  expect(roles).toHaveLength(ROLES.length);
  const known = ['config.ts', 'chains.ts', 'clickhouse.ts', 'kafka.ts', 'x402.ts']
    .map((file) => read(`services/platform/config/${file}`))
    .join();
  for (const [name, { environment }] of roles) {
    const config = loadConfig(filled(environment));
    expect(config.kafka, name).not.toBeNull();
    expect(config.clickhouse === null, name).toBe(!['sink', 'derive', 'retrace', 'api'].includes(name));
    for (const variable of Object.keys(environment ?? {})) expect(known, variable).toContain(variable);
  }
});

/** Those that docker-compose.yml and the Dockerfile decide, and those of commands beside the service. */
const DECIDED =
  /^(SPOOR_(OPERATIONS_)?(PORT|HOST)|SPOOR_(DATA|URL|KEY)|KAFKA_(BROKERS|SECURITY_PROTOCOL|SASL_\w+)|SCHEMA_REGISTRY_URL|CLICKHOUSE_\w+)$/;

test('whatever else the README says can be configured is passed on to a role, and to all that must agree on it', () => {
  const [, list = ''] = /^## Configure$(.*?)^`SPOOR_CHAINS` in JSON/ms.exec(read('README.md')) ?? [];
  const names = list.split('\n').map((line) => line.split(/[(:]/)[0] ?? '');
  const variables = names.flatMap((name) => name.match(/\b[A-Z][A-Z\d]*_[A-Z\d_]+/g) ?? []);
  expect(variables).toContain('SPOOR_CHAINS');
  for (const variable of variables.filter((name) => !DECIDED.test(name))) {
    const given = roles.flatMap(([, { environment = {} }]) => environment[variable] ?? []);
    expect(given, variable).toContain(`\${${variable}:-${variable === 'SPOOR_LOG_LEVEL' ? 'info' : ''}}`);
  }
  const topics = compose.services.topics?.environment ?? {};
  for (const variable of ['SPOOR_CHAINS', 'SPOOR_WORLD_SEED', 'KAFKA_PREFIX'])
    for (const environment of [topics, ...roles.map(([, role]) => role.environment ?? {})])
      expect(environment, variable).toHaveProperty(variable);
});

test('what is mounted from the repository exists, and what is named is declared', () => {
  for (const [name, { volumes = [], depends_on = {} }] of services) {
    for (const volume of volumes) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) expect(existsSync(new URL(source, ROOT)), source).toBe(true);
      else expect(Object.keys(compose.volumes), name).toContain(source);
    }
    for (const other of Object.keys(depends_on)) expect(Object.keys(compose.services), name).toContain(other);
  }
});

test('ports are those of this machine only, every service says how it is, and stores have files enough', () => {
  for (const [name, { ports = [], healthcheck, command }] of services) {
    for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    if (command?.[0] !== 'topics') expect(healthcheck?.test, name).toBeDefined();
  }
  for (const name of ['kafka', 'clickhouse', 'sink', 'api'])
    expect(compose.services[name]?.ulimits?.nofile, name).toBeGreaterThanOrEqual(65_536);
});

test('the broker remembers how far groups are for longer than anybody lets a service stand still', () => {
  const minutes = Number(compose.services.kafka?.environment?.KAFKA_OFFSETS_RETENTION_MINUTES);
  expect(minutes).toBeGreaterThan(365 * 24 * 60);
});

test('no password has a value here, and each must be given', () => {
  for (const [name, { environment = {} }] of services) {
    for (const [variable, value] of Object.entries(environment)) {
      if (variable.includes('PASSWORD')) expect(value, name).toMatch(/^\$\{\w+:\?\}$/);
      expect(String(value), name).not.toMatch(/:\/\/[^/@$]*:[^/@$]+@/);
    }
  }
  const example = read('.env.example');
  for (const [, variable] of read('docker-compose.yml').matchAll(/\$\{(\w+):\?\}/g))
    expect(example).toMatch(new RegExp(`^${variable}=$`, 'm'));
});

test('the engines are those that the tests run', () => {
  const versionOf = (service: string) => compose.services[service]?.image.split(':')[1];
  expect(read('infra/kafka/pom.xml')).toContain(`<kafka.version>${versionOf('kafka')}</kafka.version>`);
  expect(read('services/testing/engines/registry-server.ts')).toContain(`'${versionOf('registry')}'`);
  expect(read('Dockerfile')).toMatch(/^FROM node:24-slim$/m);
});

test('Prometheus asks every role where it answers', () => {
  const { scrape_configs } = parse(read('infra/prometheus/prometheus.yml')) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  const targets = scrape_configs
    .find(({ job_name }) => job_name === 'spoor')
    ?.static_configs.flatMap((c) => c.targets);
  expect(targets?.toSorted()).toEqual(ROLES.map((role) => `${role}:9402`).toSorted());
});

/** What the start scripts of these images write beside their data; Docker runs nowhere that the tests do. */
const WRITTEN: Readonly<Record<string, { tmpfs: string[]; volumes: string[] }>> = {
  kafka: { tmpfs: ['/tmp:exec', '/opt/kafka/config', '/opt/kafka/logs'], volumes: ['/var/lib/kafka/data'] },
  registry: { tmpfs: ['/tmp:exec'], volumes: [] },
  clickhouse: {
    tmpfs: ['/tmp', '/etc/clickhouse-server/users.d'],
    volumes: ['/var/lib/clickhouse', '/var/log/clickhouse-server'],
  },
};

test('every root is read-only, and what an engine writes lies in a volume or in memory', () => {
  for (const [name, { read_only, tmpfs = [] }] of services) {
    expect(read_only, name).toBe(true);
    expect(tmpfs, name).toEqual(WRITTEN[name]?.tmpfs ?? ['/tmp']);
  }
  for (const [name, { volumes }] of Object.entries(WRITTEN)) {
    const mounted = compose.services[name]?.volumes ?? [];
    for (const path of volumes)
      expect(
        mounted.map((volume) => volume.split(':')[1]),
        name,
      ).toContain(path);
  }
});

test('nothing that runs has rights of its own or other system calls, and roles write nowhere but to their folder', () => {
  for (const [name, { cap_drop, security_opt, volumes = [] }] of services) {
    expect(cap_drop, name).toEqual(['ALL']);
    expect(security_opt, name).toEqual(['no-new-privileges:true', 'seccomp=builtin']);
    if (roles.some(([role]) => role === name))
      expect({ name, volumes }).toEqual({ name, volumes: ['data:/data'] });
  }
});

test('engines are on a network that reaches nothing, and of the roles only those that ask others are on one that does', () => {
  expect(compose.networks).toMatchObject({ engines: { internal: true }, operators: { internal: true } });
  for (const [name, { networks = [], ports = [] }] of services) {
    for (const network of networks) expect(Object.keys(compose.networks), name).toContain(network);
    const reachesOut = ['ingest-solana', 'ingest-evm', 'derive', 'api'].includes(name) || ports.length > 0;
    expect(networks.includes('outside'), name).toBe(reachesOut);
  }
});
