import { resolve } from 'node:path';
import { z } from 'zod';
import { maskUrls } from '../mask-urls.ts';
import { type LiveChain, parseChains } from './chains.ts';
import { CLICKHOUSE_VARIABLES, type ClickHouseServer, parseClickHouse } from './clickhouse.ts';
import { KAFKA_VARIABLES, type KafkaEngines, parseKafka } from './kafka.ts';
import { type Environment, findMisspeltVariables, findUnknownVariables, given } from './variable-names.ts';
import { parseX402, type X402 } from './x402.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const MIB = 1 << 20;
const OPERATIONS_PORT = 9402;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type Config = {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Address of the operators' endpoints. */
  readonly operations: { readonly host: string; readonly port: number };
  /** The service's own address as its users see it; null disables sign-in. */
  readonly publicUrl: URL | null;
  /** Origins whose pages may call the API from a browser; `*`: all. Empty: none. */
  readonly origins: readonly string[];
  /**
   * How many proxies in front add to X-Forwarded-For; null: one when the service listens on this machine
   * only.
   */
  readonly proxies: number | null;
  /** Absolute. */
  readonly dataFolder: string;
  readonly logLevel: LogLevel;
  /** Seed of the generated world that is served when no chain is configured. */
  readonly worldSeed: number;
  /** Whether the generated world is served whatever chains are configured or replayed. */
  readonly demo: boolean;
  /** Of the time, for deriving facts. */
  readonly derivePercent: number;
  /** Live chains; empty means the generated world. */
  readonly chains: readonly LiveChain[];
  /** null: the event log and its schemas are files in the data folder. */
  readonly kafka: KafkaEngines | null;
  /** null: the tables are in the data folder, in an engine that this service starts. */
  readonly clickhouse: ClickHouseServer | null;
  /** null: no payment per call. */
  readonly x402: X402 | null;
  /** A price service for days without trades on the chains; may carry a key. null: none. */
  readonly pricesUrl: URL | null;
  /**
   * Signs what the service hands out and must recognise later: payment offers and sign-in challenges. All
   * processes behind one address need the same; never printed. null: generated once and stored in the shared
   * data folder.
   */
  readonly secret: Uint8Array | null;
  /** The ledger writes a snapshot after this many events. */
  readonly ledgerSnapshotEvents: number;
  /** Maximum bytes that wait in memory to be appended to the event log. */
  readonly logQueueBytesMax: number;
  /** Maximum bytes of events in memory for one insert into the tables. */
  readonly sinkBatchBytesMax: number;
};

export type ConfigProblem = { readonly variable: string; readonly problem: string };

/**
 * Every configuration problem at once, one line for each variable. Values that may hold secrets are not
 * repeated.
 */
export class ConfigError extends Error {
  readonly code = 'config';
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ variable, problem }) => `  ${variable}: ${problem}`);
    super(['the configuration cannot be used:', ...lines].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));

/** As browsers write it: without a path, the host in lower case. */
const isOrigin = (text: string): boolean =>
  text === '*' || (/^https?:/.test(text) && URL.parse(text)?.origin === text);

const BYTE_UNITS: Readonly<Record<string, number>> = { '': 1, KiB: 1 << 10, MiB: MIB, GiB: 1 << 30 };
const byteCount = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12} ?([KMG]iB)?$/)
    .transform((text) => Number.parseInt(text, 10) * (BYTE_UNITS[text.replace(/[\d ]/g, '')] ?? 1))
    .pipe(z.number().min(min).max(max));

type Variable<T> = {
  readonly schema: z.ZodType<T, string>;
  readonly fallback: T;
  /** Completes "… is not accepted; …". */
  readonly accepted: string;
  /** Its value is never repeated in a message. */
  readonly isSecret?: boolean;
};

const bytesVariable = (fallback: number): Variable<number> => ({
  schema: byteCount(MIB, 4096 * MIB),
  fallback,
  accepted: `bytes, or KiB, MiB, GiB as in 32MiB; from 1MiB to 4GiB (default ${fallback / MIB}MiB)`,
});

const VARIABLES = {
  SPOOR_PORT: {
    schema: wholeNumber(0, 65_535),
    fallback: 8402,
    accepted: 'a whole number from 0 (any free port) to 65535 (default 8402)',
  },
  SPOOR_HOST: {
    schema: z.string().regex(/^[\w.:%-]+$/),
    fallback: '127.0.0.1',
    accepted: 'a host name or an address without scheme and port (default 127.0.0.1)',
  },
  SPOOR_OPERATIONS_PORT: {
    schema: wholeNumber(0, 65_535).transform((port): number | null => port),
    fallback: null,
    accepted:
      'a whole number from 0 (any free port) to 65535 (default 9402, any free port where SPOOR_PORT is 0)',
  },
  SPOOR_OPERATIONS_HOST: {
    schema: z.string().regex(/^[\w.:%-]+$/),
    fallback: '127.0.0.1',
    accepted: 'a host name or an address without scheme and port (default 127.0.0.1)',
  },
  SPOOR_PUBLIC_URL: {
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((text): URL | null => new URL(text))
      .refine((url) => url?.href === `${url?.origin}/`),
    fallback: null,
    accepted: 'an address without a path, as https://spoor.example (default: nobody can sign in)',
  },
  SPOOR_ORIGINS: {
    schema: z
      .string()
      .transform((text): readonly string[] => text.split(',').map((origin) => origin.trim()))
      .refine((origins) => origins.every(isOrigin)),
    fallback: [],
    accepted:
      'origins of pages that may call the API, as https://app.example,https://b.example, or * for all (default: none)',
  },
  SPOOR_PROXIES: {
    schema: wholeNumber(0, 9).transform((count): number | null => count),
    fallback: null,
    accepted:
      'how many proxies in front add to X-Forwarded-For, 0 to 9 (default: 1 where it runs on this machine)',
  },
  SPOOR_DATA: {
    schema: z.string().refine((path) => !path.includes('\0')),
    fallback: './data',
    accepted: 'the path of a folder (default ./data)',
  },
  SPOOR_LOG_LEVEL: {
    schema: z.enum(LOG_LEVELS),
    fallback: 'info',
    accepted: `one of ${LOG_LEVELS.join(', ')}`,
  },
  SPOOR_WORLD_SEED: {
    schema: wholeNumber(0, 0xffff_ffff),
    fallback: 1,
    accepted: 'a whole number from 0 to 4294967295 (default 1)',
  },
  SPOOR_DEMO: {
    schema: z.enum(['0', '1']).transform((text) => text === '1'),
    fallback: false,
    accepted: '1 for the generated world beside data of your own, or 0 (default)',
  },
  SPOOR_DERIVE_PERCENT: {
    schema: wholeNumber(1, 100),
    fallback: 20,
    accepted: 'how much of the time deriving facts may take, 1 to 100 (default 20)',
  },
  SPOOR_PRICES_URL: {
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((text): URL | null => new URL(text))
      .refine((url) => url?.href === `${url?.origin}${url?.pathname}`),
    fallback: null,
    accepted:
      'the address of a coins API as https://coins.llama.fi, a key only in its path (default: nobody is asked)',
    isSecret: true,
  },
  SPOOR_SECRET: {
    schema: z
      .string()
      .regex(/^[0-9a-f]{64}$/i)
      .transform((text): Uint8Array | null => Buffer.from(text, 'hex')),
    fallback: null,
    accepted:
      '64 hexadecimal digits, as `openssl rand -hex 32` makes them (default: a file in the data folder)',
    isSecret: true,
  },
  SPOOR_LEDGER_SNAPSHOT_EVENTS: {
    schema: wholeNumber(1_000, 100_000_000),
    fallback: 1_000_000,
    accepted: 'a whole number from 1000 to 100000000 (default 1000000)',
  },
  SPOOR_LOG_QUEUE_BYTES: bytesVariable(32 * MIB),
  SPOOR_SINK_BATCH_BYTES: bytesVariable(48 * MIB),
} as const satisfies Record<string, Variable<unknown>>;

/**
 * Reads the configuration from the environment once, at start. No other code reads the environment. Throws
 * `ConfigError`, which names every invalid or misspelt variable.
 */
export const loadConfig = (env: Environment): Config => {
  const problems: ConfigProblem[] = [
    ...findUnknownVariables(env, [...Object.keys(VARIABLES), 'SPOOR_CHAINS']),
    ...findMisspeltVariables(env, [...KAFKA_VARIABLES, ...CLICKHOUSE_VARIABLES]),
  ];

  const read = <T>(name: string, { schema, fallback, accepted, isSecret }: Variable<T>): T => {
    const value = given(env, name);
    if (value === undefined) return fallback;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const said = isSecret ? '' : `${maskUrls(JSON.stringify(value))} `;
    problems.push({ variable: name, problem: `${said}is not accepted; accepted is ${accepted}` });
    return fallback;
  };

  const live = parseChains(given(env, 'SPOOR_CHAINS') ?? '');
  for (const problem of live.problems) problems.push({ variable: 'SPOOR_CHAINS', problem });
  const kafka = parseKafka((variable) => given(env, variable));
  const clickhouse = parseClickHouse((variable) => given(env, variable));
  const x402 = parseX402((variable) => given(env, variable));
  problems.push(...kafka.problems, ...clickhouse.problems, ...x402.problems);

  const port = read('SPOOR_PORT', VARIABLES.SPOOR_PORT);
  const operationsPort = read<number | null>('SPOOR_OPERATIONS_PORT', VARIABLES.SPOOR_OPERATIONS_PORT);
  const demo = read<boolean>('SPOOR_DEMO', VARIABLES.SPOOR_DEMO);
  const config: Config = {
    port,
    host: read('SPOOR_HOST', VARIABLES.SPOOR_HOST),
    operations: {
      host: read('SPOOR_OPERATIONS_HOST', VARIABLES.SPOOR_OPERATIONS_HOST),
      port: operationsPort ?? (port === 0 ? 0 : OPERATIONS_PORT),
    },
    publicUrl: read<URL | null>('SPOOR_PUBLIC_URL', VARIABLES.SPOOR_PUBLIC_URL),
    origins: read<readonly string[]>('SPOOR_ORIGINS', VARIABLES.SPOOR_ORIGINS),
    proxies: read<number | null>('SPOOR_PROXIES', VARIABLES.SPOOR_PROXIES),
    dataFolder: resolve(read('SPOOR_DATA', VARIABLES.SPOOR_DATA)),
    logLevel: read<LogLevel>('SPOOR_LOG_LEVEL', VARIABLES.SPOOR_LOG_LEVEL),
    worldSeed: read('SPOOR_WORLD_SEED', VARIABLES.SPOOR_WORLD_SEED),
    derivePercent: read('SPOOR_DERIVE_PERCENT', VARIABLES.SPOOR_DERIVE_PERCENT),
    demo,
    // A generated world has chains of its own.
    chains: demo ? [] : live.chains,
    kafka: kafka.engines,
    x402: x402.x402,
    clickhouse: clickhouse.server,
    pricesUrl: read<URL | null>('SPOOR_PRICES_URL', VARIABLES.SPOOR_PRICES_URL),
    secret: read<Uint8Array | null>('SPOOR_SECRET', VARIABLES.SPOOR_SECRET),
    ledgerSnapshotEvents: read('SPOOR_LEDGER_SNAPSHOT_EVENTS', VARIABLES.SPOOR_LEDGER_SNAPSHOT_EVENTS),
    logQueueBytesMax: read('SPOOR_LOG_QUEUE_BYTES', VARIABLES.SPOOR_LOG_QUEUE_BYTES),
    sinkBatchBytesMax: read('SPOOR_SINK_BATCH_BYTES', VARIABLES.SPOOR_SINK_BATCH_BYTES),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
};
