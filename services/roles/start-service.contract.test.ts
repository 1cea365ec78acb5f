import { expect, test } from 'vitest';
import { PATIENCE } from '../testing/patience.ts';
import { PROGRAMS, startProgram } from '../testing/run-program.ts';
import { listeningAt, metricsOf, startOf, stopProgram } from '../testing/service/running-service.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const TIMEOUT_MS = 60_000;
const TABLES = { CLICKHOUSE_URL: 'http://someone:a-password@127.0.0.1:1' };
const BROKERS = {
  KAFKA_BROKERS: '127.0.0.1:1',
  SCHEMA_REGISTRY_URL: 'http://someone:a-password@127.0.0.1:1',
};
const REAL = { SPOOR_CHAINS: 'ethereum=http://127.0.0.1:1/a-password' };

test.each([
  ['the tables of the role api', 'api', TABLES, { event_log: 'ok', warehouse: 'down', ledger: 'starting' }],
  ['the tables of the role sink', 'sink', TABLES, { event_log: 'ok', warehouse: 'down', ledger: 'off' }],
  [
    'the brokers of a real chain',
    'ingest-evm',
    { ...BROKERS, ...REAL },
    { event_log: 'down', warehouse: 'off' },
  ],
  ['the brokers of a generated world', 'ledger', BROKERS, { event_log: 'down', ledger: 'starting' }],
])(
  'while nobody listens where %s should be, it says so, keeps the address to itself, and stops in order',
  { timeout: TIMEOUT_MS },
  async (_, role, engines, components) => {
    const env = { SPOOR_DATA: temporaryFolder(), SPOOR_PORT: '0', ...engines };
    const program = startProgram(PROGRAMS.cli, ['start', role], env);
    const url = await listeningAt(program);
    await expect
      .poll(() => startOf(url), PATIENCE)
      .toMatchObject({
        ...{ status: 503, ready: 503, live: 200, follow: 503, retryAfter: '10' },
        components,
        waitingFor: ['CLICKHOUSE_URL' in engines ? 'warehouse' : 'event_log'],
      });
    const metrics = await metricsOf(program);
    expect(metrics).toMatch(/^spoor_waiting_for\{part="(warehouse|event_log)"\} 1$/m);
    expect((await startOf(url)).text).not.toMatch(/127\.0\.0\.1|a-password/);
    expect(program.stdout()).toBe('');
    await stopProgram(program);
  },
);
