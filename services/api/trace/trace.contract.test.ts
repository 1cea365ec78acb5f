import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TruthLine } from '../../demo-world/truth.ts';
import { worldBlocks } from '../../demo-world/world-blocks.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { type Chain, findChain } from '../../investigate/model/chain.ts';
import type { Service } from '../../investigate/model/trace-reader.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { type RunningApi, startApi } from '../../testing/start-api.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { createPriceReader } from '../../warehouse/read/assets/price.ts';
import { createTraceReader } from '../../warehouse/read/create-trace-reader.ts';

type Link = Extract<TruthLine, { type: 'mixer_link' }>;

const WORLD = { seed: 5, people: 40, days: 5 };
const truth: TruthLine[] = [];
const blocks = [...worldBlocks(WORLD, (line) => truth.push(line))];
const links = truth.filter((line) => line.type === 'mixer_link');

/** The pools that everybody knows, all of one mixer; whose the exchanges are is another test's question. */
const pools = new Map<string, Service>(
  links.map(({ pool, mixer }) => [pool, { entity: mixer, kind: 'mixer' }]),
);

const stage = new TableStage();
let overTables: RunningApi;
let overMemory: RunningApi;

beforeAll(async () => {
  await stage.warehouse.writer.insert({
    table: 'service_wallets',
    format: 'JSONEachRow',
    values: links.map(({ chain, pool, mixer }) => ({
      ...{ chain, address: pool, entity: mixer, kind: 'mixer', copied: 1, sequence: 1, removed: 0 },
    })),
  });
  await stage.insert(blocks);
  const { reader } = stage.warehouse;
  const clock = { nowUnixMs: () => 1_800_000_000_000 };
  const prices = createPriceReader(reader);
  overTables = await startApi({ traceReader: createTraceReader(reader), prices, clock });
  overMemory = await startApi({
    traceReader: createMemoryTraceReader(blocks, { services: pools }),
    prices,
    clock,
  });
});

afterAll(async () => {
  for (const api of [overTables, overMemory]) await api?.close({ graceMs: 0 });
});

const chainOf = (name: string): Chain => {
  const chain = findChain(name);
  if (chain === null) throw new Error(`chain ${name} is not known`);
  return chain;
};

const requestOf = ({ chain, pool, deposit, withdrawal }: Link, direction: 'in' | 'out') => {
  const { wallet, tx, time, amount_raw } = direction === 'out' ? deposit : withdrawal;
  const sol = Number(amount_raw) / 10 ** chainOf(chain).native.decimals;
  return { chain, wallet, counterparty: pool, signature: tx, direction, time, sol, usd: 0, window: 604_800 };
};

type Answer = {
  meta: { detail: string | null };
  window: { searched: string[]; searched_total: number };
  candidates: { address: string; evidence: { signatures: string[] }[] }[];
};

/** Pools of one name are searched on the chain asked about; memory, which has one list for all chains, names the others too. */
const withoutSearched = ({ window, meta, ...answer }: Answer) => {
  const { searched, searched_total, ...same } = window;
  // The sentence counts them, too.
  const detail = meta.detail?.replace(/known wallets: \d+/, 'known wallets') ?? null;
  return { ...answer, window: same, meta: { ...meta, detail } };
};

const ask = async (api: RunningApi, body: object): Promise<Answer> => {
  const response = await api.post('/trace', body);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

test('over the tables a trace answers as over memory, on both chains and in both directions', async () => {
  const chosen = links.filter((_, at) => at % Math.ceil(links.length / 12) === 0);
  expect(new Set(chosen.map(({ chain, mixer }) => `${chain} ${mixer}`)).size).toBe(4);
  for (const link of chosen)
    for (const direction of ['out', 'in'] as const) {
      const request = requestOf(link, direction);
      const [found, expected] = [await ask(overTables, request), await ask(overMemory, request)];
      expect(withoutSearched(found)).toEqual(withoutSearched(expected));
    }
});

const walletsOf = ({ chain, owner }: Link): string[] =>
  truth
    .flatMap((line) => (line.type === 'owner' && line.owner === owner ? line.wallets : []))
    .filter((wallet) => wallet.chain === chain)
    .map(({ address }) => presentAddress(chainOf(chain), address));

test('who left evidence is the first candidate, and the evidence opens in an explorer', async () => {
  const hashes = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)));
  // Equal notes: what comes out in parts need not fit.
  const telling = links.filter(
    ({ evidence, deposit, withdrawal }) =>
      evidence[0] !== 'none' &&
      deposit.amount_raw === withdrawal.amount_raw &&
      withdrawal.time - deposit.time < 604_800,
  );
  expect(telling.length).toBeGreaterThan(5);
  for (const link of telling) {
    const { candidates } = await ask(overTables, requestOf(link, 'out'));
    const [top] = candidates;
    expect(walletsOf(link)).toContain(top?.address);
    expect(top?.evidence.length).toBeGreaterThan(0);
    for (const { signatures } of top?.evidence ?? [])
      for (const signature of signatures) expect(hashes).toContain(signature);
  }
});
