import { beforeAll, expect, test } from 'vitest';
import type { Service, TraceReader } from '../../../investigate/model/trace-reader.ts';
import { trace } from '../../../investigate/trace/trace.ts';
import { move, type StoryStep, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../../testing/memory/memory-trace-reader.ts';
import { TableStage } from '../../../testing/table-stage.ts';
import { crowd, deposit, forward, NOTE, paidOut, T } from '../../../testing/trace-story.ts';
import { createTraceReader } from '../create-trace-reader.ts';

const SIZES = [10n, 30n, 100n];
const SERVICES = new Map<string, Service>(
  ['pool', ...SIZES.map((size) => `pool-${size}`)].map((pool) => [pool, { entity: 'mix', kind: 'mixer' }]),
);
const note = (size: bigint, wallet: string, time: number, hash = `${wallet}-${size}-${time}`): StoryStep => ({
  ...{ time, hash },
  moves: [move(`pool-${size}`, wallet, size * NOTE)],
});
/** One note of each of three pools, as many payments of `payers`, and before the last fifth of them ten notes more. */
const busy = (wallet: string, payments: number, payers: number, raw = NOTE / 1_000n): StoryStep[] => [
  ...[paidOut(wallet, T + 6_000), note(10n, wallet, T + 6_100), note(100n, wallet, T + 6_200)],
  ...Array.from(
    { length: payments / 10 },
    (_, index): StoryStep => ({
      ...{ time: T + 7_000 + index * 10, hash: `${wallet}-${index}` },
      moves: Array.from({ length: 10 }, (_, nth) =>
        move(`${wallet}-${(index * 10 + nth) % payers}`, wallet, raw),
      ),
    }),
  ),
  ...Array.from({ length: 10 }, (_, index) =>
    note(30n, wallet, T + 7_000 + Math.floor(payments * 0.8) + index),
  ),
  ...Array.from({ length: 10 }, (_, index) =>
    note(10n, wallet, T + 7_000 + Math.floor(payments * 0.8) + index),
  ),
];
const BUSY = ['bob', 'carol', 'dusty'];
const steps: StoryStep[] = [
  deposit,
  ...[10n, 100n].map(
    (size): StoryStep => ({
      ...{ time: T + 1, hash: `more-${size}` },
      moves: [move('ann', `pool-${size}`, size * NOTE)],
    }),
  ),
  ...crowd,
  ...busy('bob', 8_000, 1),
  ...busy('carol', 11_000, 150),
  ...busy('dusty', 8_000, 1, 1n),
  ...busy('quiet', 900, 1).slice(0, -20),
  { time: T + 200_000, moves: [move('x', 'y', NOTE)] },
];
const blocks = tellStory(
  'ethereum',
  steps.toSorted((a, b) => a.time - b.time),
);

const signal = new AbortController().signal;
const stage = new TableStage();
let tables: TraceReader;

beforeAll(async () => {
  await stage.warehouse.writer.insert({
    table: 'service_wallets',
    format: 'JSONEachRow',
    values: [...SERVICES].map(([address, service]) => ({
      ...{ chain: 'ethereum', address, ...service, copied: 1, sequence: 1, removed: 0 },
    })),
  });
  await stage.insert(blocks);
  await stage.warehouse.writer.command({ query: 'OPTIMIZE TABLE account_entries FINAL' });
  tables = createTraceReader(stage.warehouse.reader);
});

test('which sides are not read whole is told, whatever in them is dust', async () => {
  const sides = [...BUSY, 'quiet', 'stranger-1', 'nobody'].map((wallet) => ({
    wallet,
    direction: 'in' as const,
  }));
  const asked = { chain: 'ethereum', canonicalAssets: ['native'] };
  const told = await tables.partlyRead(asked, sides, { signal, timeoutMs: 20_000 });
  expect(sides.filter((_, at) => told[at]).map(({ wallet }) => wallet)).toEqual(BUSY);
});

test('counts of a busy candidate that were not all read are not called equal', async () => {
  const found = async (reader: TraceReader) => {
    const { candidates } = await trace(forward, { reader, prices: createMemoryPriceReader(), signal });
    return candidates
      .flatMap(({ wallet, evidence }) => evidence.map(({ family, detail }) => [wallet, family, detail]))
      .toSorted();
  };
  const known = await found(createMemoryTraceReader(blocks, { services: SERVICES }));
  expect(known.map(([wallet, canonicalAsset]) => `${wallet} ${canonicalAsset}`)).toEqual([
    ...BUSY.map((wallet) => `${wallet} multi_pool`),
    'quiet equal_counts',
  ]);
  expect(await found(tables)).toEqual(known);
});

test('a side is not called whole whose rows begin with a block of the table and end in another', async () => {
  const block = 1_024;
  const paid = (wallet: string, payments: number) =>
    Array.from({ length: payments }, () => move('x', wallet, NOTE));
  // First in the table: `before` fills its first block, `edge` begins with the second.
  const moves = [...paid('before', block), ...paid('edge', block + 200)];
  await stage.insert(tellStory('base', [{ time: T, moves }]));
  await stage.warehouse.writer.command({ query: 'OPTIMIZE TABLE account_entries FINAL' });
  const sides = ['edge', 'nobody'].map((wallet) => ({ wallet, direction: 'in' as const }));
  const asked = { chain: 'base', canonicalAssets: ['native'] };
  expect(await tables.partlyRead(asked, sides, { signal, timeoutMs: 20_000 })).toEqual([true, false]);
});
