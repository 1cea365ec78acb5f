import { afterEach, expect, test, vi } from 'vitest';
import { loadConfig } from '../platform/config/config.ts';
import { environment } from './run-program.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('programs of tests get the settings of the test, and none of whoever runs it', () => {
  const own = {
    ...{ SPOOR_DATA: '/srv/spoor', SPOOR_CHAINS: 'base=https://rpc.example' },
    ...{ KAFKA_BROKERS: 'broker:9092', SCHEMA_REGISTRY_URL: 'http://registry', KAFKA_PREFIX: 'mine.' },
    ...{ CLICKHOUSE_URL: 'http://tables:8123', CLICKHOUSE_CLUSTER: 'mine' },
    ...{ X402_FACILITATOR_URL: 'https://facilitator.example' },
  };
  for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value);
  expect(loadConfig(environment({ SPOOR_PORT: '0' }))).toEqual(loadConfig({ SPOOR_PORT: '0' }));
});
