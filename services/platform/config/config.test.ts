import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, type ConfigProblem, loadConfig } from './config.ts';

const problemsOf = (env: Record<string, string | undefined>): readonly ConfigProblem[] => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
};

test('nothing needs to be set', () => {
  expect(loadConfig({ PATH: '/usr/bin' })).toEqual({
    port: 8402,
    host: '127.0.0.1',
    operations: { host: '127.0.0.1', port: 9402 },
    publicUrl: null,
    origins: [],
    proxies: null,
    dataFolder: resolve('data'),
    logLevel: 'info',
    worldSeed: 1,
    demo: false,
    derivePercent: 20,
    chains: [],
    kafka: null,
    x402: null,
    clickhouse: null,
    pricesUrl: null,
    secret: null,
    ledgerSnapshotEvents: 1_000_000,
    logQueueBytesMax: 33_554_432,
    sinkBatchBytesMax: 50_331_648,
  });
});

test('what is set is taken', () => {
  expect(
    loadConfig({
      SPOOR_PORT: '0',
      SPOOR_HOST: '::1',
      SPOOR_DATA: '/var/lib/spoor',
      SPOOR_LOG_LEVEL: 'debug',
      SPOOR_WORLD_SEED: '42',
      SPOOR_PRICES_URL: 'https://coins.example/key',
      SPOOR_LOG_QUEUE_BYTES: '64MiB',
      SPOOR_SINK_BATCH_BYTES: '5000000',
      SPOOR_CHAINS: 'solana=https://rpc.example/?a=1,2,base=http://127.0.0.1:8545',
    }),
  ).toMatchObject({
    port: 0,
    host: '::1',
    dataFolder: '/var/lib/spoor',
    logLevel: 'debug',
    worldSeed: 42,
    pricesUrl: new URL('https://coins.example/key'),
    logQueueBytesMax: 67_108_864,
    sinkBatchBytesMax: 5_000_000,
    chains: [
      { name: 'solana', rpcUrls: ['https://rpc.example/?a=1,2'] },
      { name: 'base', rpcUrls: ['http://127.0.0.1:8545'] },
    ],
  });
});

test('the generated world stands beside configured chains', () => {
  const SPOOR_CHAINS = 'solana=https://rpc.example';
  expect(loadConfig({ SPOOR_CHAINS, SPOOR_DEMO: '1' })).toMatchObject({ demo: true, chains: [] });
  expect(loadConfig({ SPOOR_CHAINS, SPOOR_DEMO: '0' })).toMatchObject({ demo: false, chains: [{}] });
  expect(problemsOf({ SPOOR_DEMO: 'yes' })).toEqual([expect.objectContaining({ variable: 'SPOOR_DEMO' })]);
});

test('an empty variable is the same as none', () => {
  const empty = { SPOOR_PORT: '', SPOOR_CHAINS: '', KAFKA_BROKERS: '', SPOOR_LOG_LEVEL: '' };
  expect(loadConfig(empty)).toEqual(loadConfig({}));
});

test('everything that is wrong is named at once, with what would be accepted', () => {
  const problems = problemsOf({
    SPOOR_PORT: '84O2',
    SPOOR_HOST: 'http://localhost',
    SPOOR_LOG_LEVEL: 'loud',
    SPOOR_WORLD_SEED: '-1',
    SPOOR_LOG_QUEUE_BYTES: '10',
    SPOOR_SINK_BATCH_BYTES: '9GiB',
  });
  expect(problems.map((p) => p.variable)).toEqual([
    'SPOOR_PORT',
    'SPOOR_HOST',
    'SPOOR_LOG_LEVEL',
    'SPOOR_WORLD_SEED',
    'SPOOR_LOG_QUEUE_BYTES',
    'SPOOR_SINK_BATCH_BYTES',
  ]);
  expect(problems[0]?.problem).toBe(
    '"84O2" is not accepted; accepted is a whole number from 0 (any free port) to 65535 (default 8402)',
  );
  expect(problems[2]?.problem).toContain('trace, debug, info, warn, error, fatal, silent');
  expect(new ConfigError(problems).message).toContain('\n  SPOOR_WORLD_SEED: "-1" is not accepted');
});

test.each(['65536', '1.5', '1e3', ' 80', '-0', '0x50', 'NaN', '9'.repeat(40)])(
  '%j is no port',
  (SPOOR_PORT) => {
    expect(problemsOf({ SPOOR_PORT })).toHaveLength(1);
  },
);

test('a secret is 32 bytes, and one that is not is refused without being repeated', () => {
  const SPOOR_SECRET = '0123456789abcdef'.repeat(4);
  expect(loadConfig({ SPOOR_SECRET }).secret).toEqual(Buffer.from(SPOOR_SECRET, 'hex'));
  for (const wrong of [
    SPOOR_SECRET.slice(2),
    `${SPOOR_SECRET}00`,
    SPOOR_SECRET.replace('f', 'g'),
    'hunter2',
  ]) {
    const problems = problemsOf({ SPOOR_SECRET: wrong });
    expect(problems).toMatchObject([{ variable: 'SPOOR_SECRET' }]);
    expect(JSON.stringify(problems)).not.toContain(wrong.slice(0, 7));
  }
});

test.each([
  'spoor.example',
  'ftp://spoor.example',
  'https://spoor.example/app',
  'https://spoor.example/?key=hunter2',
  'https://spoor.example/#hunter2',
  'https://spoor:hunter2@spoor.example',
  'https://:hunter2@spoor.example',
])(
  '%s is no address to sign in at, and is refused without what may be a secret of it',
  (SPOOR_PUBLIC_URL) => {
    const problems = problemsOf({ SPOOR_PUBLIC_URL });
    expect(problems).toMatchObject([{ variable: 'SPOOR_PUBLIC_URL' }]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  },
);

test.each([
  'coins.example/hunter2',
  'https:/coins.example:99999/hunter2',
  'ftp://coins.example/x?k=1#hunter2',
  // It would be asked without them, or not at all.
  'https://coins.example/?key=hunter2',
  'https://spoor:hunter2@coins.example',
  'https://coins.example/#hunter2',
])('%s is no source of prices, and is refused without its key being repeated', (SPOOR_PRICES_URL) => {
  const problems = problemsOf({ SPOOR_PRICES_URL });
  expect(problems).toMatchObject([{ variable: 'SPOOR_PRICES_URL' }]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

test('the passwords of an engine’s own users, which stand in the same file, are nobody’s typing errors', () => {
  for (const variable of ['SPOOR_CLICKHOUSE_PASSWORD', 'SPOOR_CLICKHOUSE_ANALYST_PASSWORD'])
    expect(() => loadConfig({ [variable]: 'x' })).not.toThrow();
});

test('origins are those that browsers send, or all', () => {
  const SPOOR_ORIGINS = 'https://app.example, http://127.0.0.1:5173';
  expect(loadConfig({ SPOOR_ORIGINS }).origins).toEqual(['https://app.example', 'http://127.0.0.1:5173']);
  expect(loadConfig({ SPOOR_ORIGINS: '*' }).origins).toEqual(['*']);
  for (const wrong of [
    'app.example',
    'https://app.example/',
    'https://App.example',
    'https://a.example,',
    'ftp://a',
  ])
    expect(problemsOf({ SPOOR_ORIGINS: wrong })).toMatchObject([{ variable: 'SPOOR_ORIGINS' }]);
});

test('the variables of commands that ask a server stop nothing that reads the configuration', () => {
  const env = { SPOOR_URL: 'https://spoor.example', SPOOR_KEY: 'sk_live_x' };
  expect(loadConfig(env)).toEqual(loadConfig({}));
  expect(problemsOf({ SPOOR_KEYS: 'x' })).toHaveLength(1);
});

test('a variable with a typing error is named, with the right ones', () => {
  expect(problemsOf({ SPOOR_PROT: '80' })).toEqual([
    { variable: 'SPOOR_PROT', problem: expect.stringContaining('known are SPOOR_PORT, SPOOR_HOST') },
  ]);
});

const ENGINES = {
  KAFKA_BROKERS: 'a:9092',
  SCHEMA_REGISTRY_URL: 'http://registry',
  CLICKHOUSE_URL: 'http://host',
};

test.each([
  ['KAFKA_PREFX', 'KAFKA_PREFIX'],
  ['KAFKA_COMPRESSSION', 'KAFKA_COMPRESSION'],
  ['KAFKA_SECURITY_PROTOKOL', 'KAFKA_SECURITY_PROTOCOL'],
  ['CLICKHOUSE_RAEDER_URL', 'CLICKHOUSE_READER_URL'],
  ['CLICKHOUSE_CLUSTERS', 'CLICKHOUSE_CLUSTER'],
])('%s beside engines that are set is a typing error of %s', (variable, meant) => {
  expect(problemsOf({ ...ENGINES, [variable]: 'hunter2' })).toEqual([
    { variable, problem: `is not known; ${meant} is, and is not set` },
  ]);
  expect(problemsOf({ [variable]: 'x' })).toEqual([]);
});

test('what other programs call by names that begin as those of engines do stops no start', () => {
  const others = ['KAFKA_HOME', 'KAFKA_OPTS', 'KAFKA_HEAP_OPTS', 'KAFKA_BROKER', 'SCHEMA_REGISTRY_HOME'];
  const more = ['CLICKHOUSE_CONFIG', 'CLICKHOUSE_USER', 'CLICKHOUSE_URI', 'CLICKHOUSE_PORT_8123_TCP', 'PATH'];
  const env = Object.fromEntries([...others, ...more].map((name) => [name, 'x']));
  for (const own of [ENGINES, {}]) expect(() => loadConfig({ ...own, ...env })).not.toThrow();
});

test('a ClickHouse server is taken with its reader and its cluster, each of which may be missing', () => {
  const CLICKHOUSE_URL = 'https://spoor:hunter2@host:8443';
  expect(loadConfig({ CLICKHOUSE_URL }).clickhouse).toEqual({
    urls: [CLICKHOUSE_URL],
    readerUrls: null,
    cluster: null,
    quorum: 'auto',
  });
  const CLICKHOUSE_READER_URL = 'http://reader:hunter2@host:8123/';
  expect(
    loadConfig({ CLICKHOUSE_URL, CLICKHOUSE_READER_URL, CLICKHOUSE_CLUSTER: 'main-1' }).clickhouse,
  ).toMatchObject({ readerUrls: [CLICKHOUSE_READER_URL], cluster: 'main-1' });
});

test('how many replicas confirm an insert is a number, and said of a cluster only', () => {
  const cluster = { CLICKHOUSE_URL: 'http://host', CLICKHOUSE_CLUSTER: 'main' };
  expect(loadConfig({ ...cluster, CLICKHOUSE_QUORUM: '1' }).clickhouse?.quorum).toBe(1);
  expect(loadConfig({ ...cluster, CLICKHOUSE_QUORUM: 'auto' }).clickhouse?.quorum).toBe('auto');
  for (const CLICKHOUSE_QUORUM of ['0', 'most', '1.5'])
    expect(problemsOf({ ...cluster, CLICKHOUSE_QUORUM })).toMatchObject([{ variable: 'CLICKHOUSE_QUORUM' }]);
  expect(problemsOf({ CLICKHOUSE_URL: 'http://host', CLICKHOUSE_QUORUM: '2' })).toMatchObject([
    { variable: 'CLICKHOUSE_CLUSTER' },
  ]);
});

test('several servers of a cluster are given by commas; without a cluster they are refused', () => {
  const servers = ['http://spoor:a,b@one:8123', 'https://spoor:c@two:8443'];
  const CLICKHOUSE_URL = servers.join(', ');
  expect(loadConfig({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: 'main' }).clickhouse?.urls).toEqual(servers);
  expect(problemsOf({ CLICKHOUSE_URL })).toEqual([
    { variable: 'CLICKHOUSE_CLUSTER', problem: 'is needed where several addresses are given' },
  ]);
});

test.each([
  ['CLICKHOUSE_URL', { CLICKHOUSE_URL: 'tcp://admin:hunter2@host:9000' }],
  ['CLICKHOUSE_URL', { CLICKHOUSE_URL: 'http://admin:hunter2@host:8123/somewhere' }],
  ['CLICKHOUSE_URL', { CLICKHOUSE_URL: 'http://spoor:hunter2%zz@host:8123' }],
  ['CLICKHOUSE_URL', { CLICKHOUSE_READER_URL: 'http://admin:hunter2@host:8123' }],
  ['CLICKHOUSE_READER_URL', { CLICKHOUSE_URL: 'http://host', CLICKHOUSE_READER_URL: 'hunter2' }],
  ['CLICKHOUSE_CLUSTER', { CLICKHOUSE_URL: 'http://host', CLICKHOUSE_CLUSTER: "x'; hunter2" }],
])('what cannot be a server is refused under %s, without repeating it', (variable, env) => {
  const problems = problemsOf(env);
  expect(problems).toEqual([{ variable, problem: expect.stringMatching(/accepted is|is needed/) }]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

test('brokers and the registry of their schemas are given together', () => {
  const env = { KAFKA_BROKERS: 'a:9092, [::1]:9093', SCHEMA_REGISTRY_URL: 'https://u:p@registry/apis/v7' };
  expect(loadConfig(env).kafka).toEqual({
    brokers: ['a:9092', '[::1]:9093'],
    registryUrls: ['https://u:p@registry/apis/v7'],
    prefix: '',
    compression: 'zstd',
    tls: false,
    sasl: null,
  });
  expect(loadConfig({ ...env, KAFKA_COMPRESSION: 'none' }).kafka?.compression).toBe('none');
  expect(problemsOf({ ...env, KAFKA_COMPRESSION: 'gzip' })).toMatchObject([
    { variable: 'KAFKA_COMPRESSION' },
  ]);
  expect(loadConfig({ ...env, KAFKA_PREFIX: 'spoor.' }).kafka?.prefix).toBe('spoor.');
  expect(problemsOf({ ...env, KAFKA_PREFIX: 'a b' })).toMatchObject([{ variable: 'KAFKA_PREFIX' }]);
  expect(loadConfig({}).kafka).toBeNull();
});

test('brokers are spoken to as their operators say in the words of Kafka', () => {
  const env = { KAFKA_BROKERS: 'a:9092', SCHEMA_REGISTRY_URL: 'http://registry' };
  expect(loadConfig({ ...env, KAFKA_SECURITY_PROTOCOL: 'SSL' }).kafka).toMatchObject({
    tls: true,
    sasl: null,
  });
  const login = { KAFKA_SASL_USERNAME: 'spoor', KAFKA_SASL_PASSWORD: 'hunter2' };
  const scram = { ...env, ...login, KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512' };
  const sasl = { mechanism: 'scram-sha-512', username: 'spoor', password: 'hunter2' };
  expect(loadConfig({ ...scram, KAFKA_SECURITY_PROTOCOL: 'SASL_SSL' }).kafka).toMatchObject({
    tls: true,
    sasl,
  });
  const inClear = { ...scram, KAFKA_SECURITY_PROTOCOL: 'sasl_plaintext', KAFKA_SASL_MECHANISM: 'plain' };
  expect(loadConfig(inClear).kafka).toMatchObject({ tls: false, sasl: { ...sasl, mechanism: 'plain' } });
});

test.each([
  ['KAFKA_SECURITY_PROTOCOL', { KAFKA_SECURITY_PROTOCOL: 'TLS-hunter2', KAFKA_SASL_PASSWORD: undefined }],
  ['KAFKA_SECURITY_PROTOCOL', { KAFKA_SECURITY_PROTOCOL: 'SSL' }],
  ['KAFKA_SECURITY_PROTOCOL', { KAFKA_SECURITY_PROTOCOL: undefined }],
  ['KAFKA_SASL_MECHANISM', { KAFKA_SASL_MECHANISM: 'GSSAPI' }],
  ['KAFKA_SASL_MECHANISM', { KAFKA_SASL_MECHANISM: undefined }],
  ['KAFKA_SASL_USERNAME', { KAFKA_SASL_USERNAME: '' }],
  ['KAFKA_SASL_PASSWORD', { KAFKA_SASL_PASSWORD: undefined }],
  ['SCHEMA_REGISTRY_URL', { SCHEMA_REGISTRY_URL: 'https://u:hunter2%zz@registry' }],
])('a login that cannot be used is refused under %s, without repeating it', (variable, wrong) => {
  const env: Record<string, string | undefined> = {
    KAFKA_BROKERS: 'a:9092',
    SCHEMA_REGISTRY_URL: 'https://u:p@registry',
    KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
    KAFKA_SASL_MECHANISM: 'PLAIN',
    KAFKA_SASL_USERNAME: 'spoor-hunter2',
    KAFKA_SASL_PASSWORD: 'hunter2',
    ...wrong,
  };
  const problems = problemsOf(env);
  expect(problems).toEqual([{ variable, problem: expect.any(String) }]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

test.each(['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL'] as const)('without %s the other is refused', (missing) => {
  const env = { KAFKA_BROKERS: 'a:9092', SCHEMA_REGISTRY_URL: 'http://registry' };
  expect(problemsOf({ ...env, [missing]: '' })).toEqual([
    { variable: missing, problem: expect.stringContaining('is needed where') },
  ]);
});

test.each(['a', 'a:b', 'a:65536', 'kafka://a:9092', 'a:9092,', 'a:9092;b:9092'])(
  '%j is no list of brokers',
  (KAFKA_BROKERS) => {
    const problems = problemsOf({ KAFKA_BROKERS, SCHEMA_REGISTRY_URL: 'ftp://u:hunter2@registry' });
    expect(problems.map((p) => p.variable)).toEqual(['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL']);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  },
);

test('a secret in a value that is refused is not repeated', () => {
  const secret = 'https://admin:hunter2@rpc.example/v2/0123456789abcdef0123?key=hunter3';
  for (const env of [
    { SPOOR_CHAINS: secret },
    { SPOOR_CHAINS: `solana=${secret},solana=${secret}` },
    { SPOOR_CHAINS: `sol=${secret}` },
    { SPOOR_CHAINS: `solana=ftp${secret}` },
    { SPOOR_CHAINS: `{"solana": "${secret}"` },
    { SPOOR_HOST: secret },
    { SPOOR_LOG_LEVEL: secret },
  ]) {
    const text = JSON.stringify(problemsOf(env));
    expect(text).toMatch(/SPOOR_/);
    expect(text).not.toMatch(/hunter|0123456789abcdef/);
  }
});
