import { expect, test } from 'vitest';
import { HEALTHY, startApi } from '../../testing/start-api.ts';
import type { ChainStatus, StatusProbes } from './status-probes.ts';

const ask = async (probes: Partial<StatusProbes>) => {
  await using api = await startApi({ probes: { ...HEALTHY, ...probes } });
  const response = await fetch(`${api.url}/status`);
  return { status: response.status, body: await response.json() };
};

const CHAIN: ChainStatus = {
  chain: 'solana',
  head: 120,
  indexed: 100,
  lagSeconds: 8,
  finality: 'finalized',
  stillSeconds: 2,
  isStalled: false,
  trouble: null,
  traces: null,
  tracesMissing: 3,
  partial: { blocks: 2, newest: { block: 99, reason: 'transactions_refused' } },
  gaps: 0,
};

test('says how everything is, each chain by its own clock', async () => {
  expect(await ask({ chains: async () => [CHAIN] })).toEqual({
    status: 200,
    body: {
      status: 'ok',
      version: '0.0.0-test',
      access: 'open',
      time: 1_700_000_000,
      components: {
        event_log: 'ok',
        warehouse: 'ok',
        ledger: 'off',
        derivation: 'off',
        facilitator: 'off',
        chains: [
          {
            chain: 'solana',
            head: 120,
            indexed: 100,
            lag_seconds: 8,
            finality: 'finalized',
            still_seconds: 2,
            stalled: false,
            trouble: null,
            traces: null,
            traces_missing: 3,
            partial: { blocks: 2, newest: { block: 99, reason: 'transactions_refused' } },
            gaps: 0,
          },
        ],
      },
    },
  });
});

test('without tables nothing can be answered: 503, down', async () => {
  const refuse = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7'));
  const { status, body } = await ask({ warehouse: refuse });
  expect(status).toBe(503);
  expect(body).toMatchObject({ status: 'down', components: { warehouse: 'down' } });
  expect(JSON.stringify(body)).not.toContain('10.0.0.7');
});

test.each([
  ['the event log is out', { eventLog: async () => 'down' as const }],
  ['a component limps', { warehouse: async () => 'degraded' as const }],
  ['facts cannot be derived', { derivation: async () => 'degraded' as const }],
  ['the chains cannot be read', { chains: () => Promise.reject(new Error('no')) }],
  ['a chain is far behind', { chains: async () => [{ ...CHAIN, lagSeconds: 301 }] }],
  ['no node of a chain answers', { chains: async () => [{ ...CHAIN, trouble: 'unreachable' }] }],
  ['a chain stands still', { chains: async () => [{ ...CHAIN, isStalled: true }] }],
])('degraded, and still 200, when %s', async (_, probes) => {
  const { status, body } = await ask(probes);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'degraded' });
});

test('many who ask within a second cost one look', async () => {
  let looks = 0;
  const probes = {
    ...HEALTHY,
    warehouse: async () => {
      looks += 1;
      return 'ok' as const;
    },
  };
  let nowUnixMs = 5_000;
  await using api = await startApi({ probes, clock: { nowUnixMs: () => nowUnixMs } });
  await Promise.all(Array.from({ length: 20 }, () => fetch(`${api.url}/status`)));
  expect(looks).toBe(1);
  nowUnixMs += 1_000;
  await fetch(`${api.url}/readyz`);
  expect(looks).toBe(2);
});

test('a chain that stands still fails readiness, and is named with the seconds it did', async () => {
  const still = { ...CHAIN, stillSeconds: 121, isStalled: true, trouble: 'unreachable' };
  const probes = { ...HEALTHY, chains: async () => [still, { ...CHAIN, chain: 'base' }] };
  await using api = await startApi({ probes });
  const ready = await fetch(`${api.url}/readyz`);
  expect({ status: ready.status, body: await ready.json() }).toEqual({
    status: 503,
    body: { ready: false, stalled: ['solana'] },
  });
  const { components } = (await (await fetch(`${api.url}/status`)).json()) as { components: object };
  expect(components).toMatchObject({
    chains: [{ chain: 'solana', still_seconds: 121, stalled: true, trouble: 'unreachable' }, {}],
  });
});

test('tells what each source of histories offers once that is known, and nothing before', async () => {
  const source = {
    ...{ source: 'evm-node', place: 1, trouble: null, perSecond: null, perDay: 5_000 },
    offers: { kinds: ['tokens_out', 'sent'] as const, has: ['eth_getLogs'], spanMax: 10 },
  };
  const silent = { ...source, place: 2, trouble: 'unreachable', offers: null };
  const known = [{ chain: 'base', sources: [source, silent] }];
  expect((await ask({ histories: () => null })).body).not.toHaveProperty('histories');
  const histories = [
    {
      chain: 'base',
      sources: [
        {
          ...{ source: 'evm-node', place: 1, trouble: null, kinds: ['tokens_out', 'sent'] },
          ...{ has: ['eth_getLogs'], blocks_max: 10, per_second: null, per_day: 5_000 },
        },
        {
          ...{ source: 'evm-node', place: 2, trouble: 'unreachable', kinds: [], has: [] },
          ...{ blocks_max: null, per_second: null, per_day: 5_000 },
        },
      ],
      unlisted: ['received', 'internal', 'tokens_in', 'emitted', 'withdrawals', 'rewards'],
    },
  ];
  expect((await ask({ histories: () => known })).body).toMatchObject({ histories });
});
