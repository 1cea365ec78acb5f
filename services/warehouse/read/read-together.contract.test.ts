import { beforeAll, expect, test } from 'vitest';
import type { Query } from '../../investigate/model/query.ts';
import { bothSides, type Service, type TraceReader } from '../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { CANONICAL_ASSETS, CHAINS, randomBlocks, WALLETS } from '../../testing/random-blocks.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { createTraceReader } from './create-trace-reader.ts';

const limits: ReadLimits = { signal: new AbortController().signal, timeoutMs: 60_000 };
const DIRECTIONS = ['in', 'out'] as const;
const SERVICES: readonly (readonly [string, Service])[] = [
  ['ann', { entity: 'mix', kind: 'mixer' }],
  ['bea', { entity: 'mix', kind: 'mixer' }],
  ["d'ot", { entity: 'ex', kind: 'exchange' }],
];
const BUSY = 'busy';
const T = 1_600_000_000;
/** Two thousand and some transfers of one wallet: the ends of its range are not all of it. */
const busyBlocks = Array.from({ length: 50 }, (_, index) =>
  buildBlock({
    ...{ chain: 'ethereum', number: 500_000 + index, timeUnixSeconds: T + index },
    transactions: Array.from({ length: 90 }, (_, tx) => ({
      ...{ hash: `busy-${index}-${tx}`, sender: BUSY },
      movements: [{ from: BUSY, to: `payee-${(index * 90 + tx) % 700}`, amountRaw: 5n }],
    })),
  }),
);
const blocks = [...randomBlocks(11), ...busyBlocks];
const stage = new TableStage();
let reader: TraceReader;

beforeAll(async () => {
  await stage.warehouse.writer.insert({
    table: 'service_wallets',
    format: 'JSONEachRow',
    values: CHAINS.flatMap((chain) =>
      SERVICES.map(([address, service]) => ({
        ...{ chain, address, ...service },
        ...{ copied: 1, sequence: 1, removed: 0 },
      })),
    ),
  });
  await stage.insert(blocks);
  reader = createTraceReader(stage.warehouse.reader);
});

/** Asked together, each is answered what it is alone; gives how many rows that were. */
const expectEach = async <Common, Key, Answer>(
  ask: Query<Common, Key, Answer>,
  common: Common,
  keys: readonly Key[],
): Promise<number> => {
  const each: Answer[] = [];
  for (const key of keys) each.push(...(await ask(common, [key], limits)));
  expect(await ask(common, keys, limits)).toEqual(each);
  return each.flat().filter((one) => one !== null).length;
};

test('many transactions are read as each of them is, and those that nobody knows', async () => {
  const hashes = blocks.slice(0, 12).flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
  const signatures = hashes.filter((_, index) => index % 4 === 0);
  for (const [canonicalAssets, limit] of [
    [undefined, 100],
    [undefined, 2],
    [['native'], 100],
    [['never seen'], 2],
  ] as const) {
    let known = 0;
    for (const chain of CHAINS) {
      const of = { chain, limit, ...(canonicalAssets && { canonicalAssets }) };
      known += await expectEach(reader.transaction, of, [...signatures, 'nowhere', "it's"]);
    }
    expect(known > 2).toBe(canonicalAssets?.[0] !== 'never seen');
  }
});

test('what services got and gave of many amounts and times is what each request is told alone', async () => {
  const times = blocks.flatMap(({ timeUnixSeconds }) => timeUnixSeconds ?? []);
  const ranges: readonly (readonly [bigint, bigint])[] = [
    [0n, 2n ** 256n - 1n],
    [1n, 1n],
    [2n, 500n],
    [499n, 501n],
    [2n ** 200n, 2n ** 254n],
    [2n ** 250n + 7n, 2n ** 256n - 1n],
  ];
  const asked = ranges.flatMap(([minRaw, maxRaw], index) =>
    [1, 40].map((seconds) => {
      const fromUnixSeconds = times[(index * 7) % 40] ?? 0;
      return { minRaw, maxRaw, fromUnixSeconds, toUnixSeconds: fromUnixSeconds + seconds };
    }),
  );
  let rows = 0;
  for (const chain of CHAINS)
    for (const entity of ['mix', 'ex'])
      for (const direction of DIRECTIONS)
        for (const canonicalAsset of CANONICAL_ASSETS.slice(0, 2))
          for (const limit of [3, 1_000]) {
            const side = { chain, entity, direction, canonicalAsset, limit };
            rows += await expectEach(reader.serviceTransfers, side, asked);
          }
  expect(rows).toBeGreaterThan(100);
});

test('the latest transfers of wallets until many times', async () => {
  const times = blocks.flatMap(({ timeUnixSeconds }) => timeUnixSeconds ?? []);
  const asked = [...WALLETS.slice(0, 2), BUSY].flatMap((wallet) =>
    [0, 3, 11, 30].map((at) => ({
      ...{ wallet, fromUnixSeconds: 0, toUnixSeconds: (times[at] ?? 0) + (at % 2) },
    })),
  );
  let rows = 0;
  for (const chain of CHAINS)
    for (const direction of DIRECTIONS)
      for (const limit of [1, 5]) {
        const of = { chain, direction, limit, canonicalAsset: 'native' };
        rows += await expectEach(reader.walletTransfers, of, asked);
      }
  expect(rows).toBeGreaterThan(50);
});

test('whom many wallets dealt with, also one whose transfers are more than the ends of its range', async () => {
  const canonicalAssets = ['native', 'token'];
  for (const leastRaw of [
    [1n, 1n],
    [500n, 2n ** 200n],
  ]) {
    let known = 0;
    for (const chain of CHAINS) {
      const of = { chain, canonicalAssets, leastRaw, perSideMax: 800, fromBeginning: true };
      known += await expectEach(reader.neighbours, of, bothSides([...WALLETS, BUSY, 'payee-5', 'nobody']));
    }
    expect(known).toBeGreaterThan(leastRaw[0] === 1n ? 720 : 10);
  }
});

test('what a hundred sides count, each looking for others, is what each counts alone', async () => {
  const payees = Array.from({ length: 40 }, (_, at) => `payee-${at}`);
  const sides = bothSides([...WALLETS, ...payees]);
  const asked = [[], [BUSY], WALLETS].flatMap((among) => sides.map((side) => ({ ...side, among })));
  const of = { chain: 'ethereum', canonicalAssets: ['native'], leastRaw: [1n], othersMax: 5 };
  expect(await expectEach(reader.counterpartyCounts, of, asked)).toBeGreaterThan(100);
});
