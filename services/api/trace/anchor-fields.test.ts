import { expect, test } from 'vitest';
import { move, type StoryStep, tellStory } from '../../testing/chain-story.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { startApi } from '../../testing/start-api.ts';

const T = 1_699_000_000;
const ETHER = 10n ** 18n;
const [ANN, HOT, BEA] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const [PAID, TAKEN, UNKNOWN] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(64)}`);

const paid: StoryStep = { time: T, hash: PAID ?? '', moves: [move(ANN, HOT, 3n * ETHER)] };
const taken: StoryStep = { time: T + 600, hash: TAKEN ?? '', moves: [move(HOT, BEA, 3n * ETHER)] };
const later: StoryStep = { time: T + 700_000, moves: [move(BEA, ANN, 1n)] };

const trace = async (body: object, story = [paid, taken, later]) => {
  const services = new Map([[HOT, { entity: 'Desk', kind: 'exchange' }]]);
  const traceReader = createMemoryTraceReader(tellStory('ethereum', story), { services });
  await using api = await startApi({ traceReader });
  const response = await api.post('/trace', {
    ...{ wallet: ANN, counterparty: HOT, signature: PAID, direction: 'out' },
    ...body,
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
};

test('needs only wallet, counterparty, signature and direction where the transaction is indexed', async () => {
  const { status, answer } = await trace({});
  expect(status).toBe(200);
  expect(answer).toMatchObject({
    anchor: { amount: 3, amount_raw: String(3n * ETHER), time: T, verified: true, corrections: [] },
    candidates: [{ amount: 3, amount_raw: String(3n * ETHER) }],
  });
  expect((await trace({ time: T, sol: 3, usd: 0 })).answer).toEqual(answer);
});

test('what the request says otherwise than the transaction is told, and the transaction believed', async () => {
  const { answer } = await trace({ time: T - 60, sol: 5, usd: 0 });
  expect(answer).toMatchObject({
    anchor: {
      ...{ amount: 3, time: T },
      corrections: [
        { field: 'time', said: T - 60, found: T, detail: expect.stringContaining('is believed') },
        { field: 'sol', said: 5, found: 3 },
      ],
    },
  });
});

test('of a transaction that is not indexed a missing field is a 400 that names it', async () => {
  const { status, answer } = await trace({ signature: UNKNOWN, time: T, sol: 3 });
  expect(status).toBe(400);
  expect(answer).toMatchObject({
    code: 'anchor_not_indexed',
    error: expect.stringContaining('usd'),
    fields: [{ path: 'usd' }],
  });
  const told = await trace({ signature: UNKNOWN, time: T, sol: 3, usd: 0 });
  expect(told).toMatchObject({ status: 200, answer: { anchor: { verified: false } } });
});

test('a trace that found nobody says what was searched, when, what was not compared and what to change', async () => {
  const { answer } = await trace({}, [paid, later]);
  expect(answer).toMatchObject({ candidates: [], meta: { scope: 'partial' } });
  const { detail } = answer.meta as { detail: string };
  for (const told of ['Desk (known wallets: 1, on ethereum)', '3 ETH', new Date(T * 1_000).toISOString()])
    expect(detail).toContain(told);
  expect(detail).toContain('longer window: 3600 seconds were searched; the maximum is 604800');
  expect(detail).toMatch(/Not compared: .*other than ethereum, in other assets, .*parts/);
  const longest = await trace({ window: 604_800 }, [paid, later]);
  expect((longest.answer.meta as { detail: string }).detail).not.toContain('longer window');
});

test('meta says the same fields as on /follow, and a chain that is not read is named', async () => {
  expect((await trace({})).answer).toMatchObject({
    meta: { chain: 'ethereum', scope: 'full', detail: null, data_to: T + 700_000, index_head: T + 700_000 },
  });
});
