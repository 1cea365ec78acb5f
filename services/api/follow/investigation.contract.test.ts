import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TruthLine } from '../../demo-world/truth.ts';
import { worldBlocks } from '../../demo-world/world-blocks.ts';
import type { Label } from '../../investigate/model/label.ts';
import { type RunningApi, startApi } from '../../testing/start-api.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { createPriceReader } from '../../warehouse/read/assets/price.ts';
import { createTraceReader } from '../../warehouse/read/create-trace-reader.ts';
import { createTransferReader } from '../../warehouse/read/create-transfer-reader.ts';

type Call = { path: string; body: Record<string, unknown> };
type Branch = { to: string; since: number; amount: number; output: object | null };
type Answer = {
  asset: { address: string | null };
  hops: { amount: number; amount_raw: string; share: number; to: string }[];
  end: {
    reason: string;
    address: string;
    detail: string;
    time: number;
    next: Call | null;
    branches: Branch[];
    output: { address: string; amount: number; amount_raw: string; chain?: string } | null;
  };
};

const truth: TruthLine[] = [];
const blocks = [...worldBlocks({ seed: 1, people: 20 }, (line) => truth.push(line))];
const known = truth.flatMap((line) => (line.type === 'label' && line.known ? [line] : []));
const labels = new Map(
  known.map(({ chain, address, name, kind }) => [`${chain} ${address}`, { name, kind } as Label]),
);
const trails = truth.filter((line) => line.type === 'trail');

const stage = new TableStage();
let api: RunningApi;

beforeAll(async () => {
  const services = known.filter(({ kind }) => kind === 'exchange' || kind === 'mixer');
  await stage.warehouse.writer.insert({
    table: 'service_wallets',
    format: 'JSONEachRow',
    values: services.map(({ chain, address, name, kind }) => ({
      ...{ chain, address, kind, entity: name.replace(/ [\d.]+( [A-Z]+)?$/, '') },
      ...{ copied: 1, sequence: 1, removed: 0 },
    })),
  });
  await stage.insert(blocks);
  const { reader: client } = stage.warehouse;
  const reader = createTransferReader(client);
  api = await startApi({
    reader: {
      ...reader,
      labels: async ({ chain }, addresses) =>
        addresses.map((address) => labels.get(`${chain} ${address}`) ?? null),
    },
    traceReader: createTraceReader(client),
    prices: createPriceReader(client),
    clock: { nowUnixMs: () => 1_800_000_000_000 },
  });
});

afterAll(() => api?.close({ graceMs: 0 }));

const send = async ({ path, body }: Call): Promise<Answer> => {
  const response = await api.post(path, body);
  const answer = (await response.json()) as Answer;
  expect({ path, body, status: response.status, answer }).toMatchObject({ status: 200 });
  return answer;
};

/** Follows a theft as an investigator does: sends what each answer hands over, until one hands over nothing. */
const walk = async ({ chain, start, asset, since }: (typeof trails)[number]) => {
  const calls: { readonly ended: string; readonly call: Call }[] = [];
  let call: Call | null = { path: '/follow', body: { chain, address: start, asset, since } };
  while (call !== null && calls.length < 10) {
    const { end }: Answer = await send(call);
    call = end?.next ?? null;
    if (call !== null) calls.push({ ended: end.reason, call });
  }
  return calls;
};

test('every end that has a next call hands it over: thefts are walked by it behind swaps, hops, to exchanges', async () => {
  const onward = new Map([
    ...(['exchange', 'mixer'] as const).map((reason) => [reason, '/trace'] as const),
    ...(['dex_swap', 'max_hops'] as const).map((reason) => [reason, '/follow'] as const),
  ]);
  const [resting] = trails.filter(({ end }) => end.reason === 'at_rest');
  if (resting === undefined) throw new Error('no theft rests');
  expect(await walk(resting)).toEqual([]);
  for (const [reason, path] of onward) {
    const trail = trails.find(({ end }) => end.reason === reason);
    if (trail === undefined) throw new Error(`no theft ends with ${reason}`);
    const [first] = await walk(trail);
    expect(first).toMatchObject({ ended: reason, call: { path } });
  }
}, 120_000);

test("behind a swap the specification's recipe follows all that the swap brought, not crumbs of it", async () => {
  const swapped = trails.filter(({ end }) => end.reason === 'dex_swap');
  expect(swapped.length).toBeGreaterThan(1);
  for (const { chain, start, asset, since } of swapped) {
    const { end } = await send({ path: '/follow', body: { chain, address: start, asset, since } });
    const recipe = { chain, address: end.address, asset: end.output?.address, since: end.time };
    const onward = await send({ path: '/follow', body: recipe });
    expect(onward.end.reason).toBe('at_rest');
    expect(onward.end.detail.replaceAll(',', '')).toContain(`of the ${end.output?.amount} `);
  }
});

test('a trail that is cut short and gone on with ends where the whole one does', async () => {
  const long = trails.filter(({ hops, end }) => hops.length > 3 && end.reason === 'exchange');
  expect(long.length).toBeGreaterThan(0);
  for (const { chain, start, asset, since } of long) {
    const whole = await send({ path: '/follow', body: { chain, address: start, asset, since } });
    let call: Call = { path: '/follow', body: { chain, address: start, asset, since, max_hops: 2 } };
    let answer = await send(call);
    for (let calls = 0; answer.end.reason === 'max_hops' && calls < 10; calls += 1) {
      call = answer.end.next ?? call;
      answer = await send(call);
    }
    expect(answer.end).toMatchObject({ reason: whole.end.reason, address: whole.end.address });
    expect(answer.end.next).toEqual(whole.end.next);
  }
});
