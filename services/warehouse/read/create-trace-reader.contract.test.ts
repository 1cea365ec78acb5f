import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { MOVEMENT_KINDS } from '../../investigate/model/movement.ts';
import {
  bothSides,
  type Service,
  type TraceReader,
  type WalletSide,
} from '../../investigate/model/trace-reader.ts';
import { buildBlock, type MovementPlan } from '../../testing/build-block.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { createTraceReader } from './create-trace-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const WALLETS = ['ann', "d'ot", 'eve\\', 'fay 費', 'pool-a', 'pool-b', 'till'];
const SERVICES = new Map<string, Service>([
  ['pool-a', { entity: 'mix', kind: 'mixer' }],
  ['pool-b', { entity: 'mix', kind: 'mixer' }],
  ['till', { entity: 'ex', kind: 'exchange' }],
]);
const T = 1_700_000_000;

const movement: fc.Arbitrary<MovementPlan> = fc.record({
  from: fc.option(fc.constantFrom(...WALLETS), { freq: 8 }),
  to: fc.option(fc.constantFrom(...WALLETS), { freq: 8 }),
  amountRaw: fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(2n ** 200n, 2n ** 240n)),
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constant('transfer' as const) },
    fc.constantFrom(...MOVEMENT_KINDS),
  ),
  asset: fc.constantFrom('native', WETH, 'token'),
  authority: fc.option(fc.constantFrom(...WALLETS), { nil: null }),
});

/** Random transfers among few wallets, some of them services; several blocks share a second. */
const blocks = fc
  .sample(fc.array(fc.array(movement, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }), {
    seed: 20_240_601,
    numRuns: 60,
  })
  .map((transactions, index) =>
    buildBlock({
      chain: 'ethereum',
      number: 1_000 + index,
      timeUnixSeconds: T + Math.floor(index / 3),
      transactions: transactions.map((movements, tx) => ({
        hash: `0x${index}-${tx}`,
        sender: 'ann',
        movements,
      })),
    }),
  );
blocks.push(
  buildBlock({
    ...{ chain: 'ethereum', number: 1_000 + blocks.length, timeUnixSeconds: T + 20 },
    transactions: [{ hash: 'empty', sender: 'ann' }],
  }),
);
const memory = createMemoryTraceReader(blocks, { services: SERVICES });
const ethereum = { chain: 'ethereum', ...limits };

const stage = new TableStage();
let tables: TraceReader;

beforeAll(async () => {
  const addWallets = (wallets: Iterable<readonly [string, Service]>, version: object) =>
    stage.warehouse.writer.insert({
      table: 'service_wallets',
      format: 'JSONEachRow',
      values: [...wallets].map(([address, service]) => ({
        ...{ chain: 'ethereum', address, ...service },
        ...{ copied: 1, ...version },
      })),
    });
  const left: readonly [string, Service][] = [['left', { entity: 'mix', kind: 'mixer' }]];
  await addWallets([...SERVICES, ...left], { sequence: 1, removed: 0 });
  await addWallets(left, { sequence: 2, removed: 1 });
  await stage.insert(blocks);
  tables = createTraceReader(stage.warehouse.reader);
});

/** Asks both the same; `sort` where the port promises no order. */
const expectSame = async <T>(ask: (reader: TraceReader) => Promise<T>, sort = false): Promise<T> => {
  const [expected, found] = [await ask(memory), await ask(tables)];
  const ordered = (answer: T) => (sort && Array.isArray(answer) ? answer.map(showRow).sort() : answer);
  expect(ordered(found)).toEqual(ordered(expected));
  return found;
};

const showRow = (row: object): string =>
  Object.entries(row)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join();

const sideOf = ({ wallet, direction }: WalletSide): string => `${wallet} ${direction}`;
const DIRECTIONS = ['in', 'out'] as const;
const CANONICAL_ASSETS = ['native', 'token'];

describe('the tables answer as memory does:', () => {
  test('every transaction by its signature, and null for one that is nowhere', async () => {
    const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
    for (const signature of [...hashes.slice(0, 40), 'empty', 'nowhere'])
      await expectSame((reader) => reader.transaction({ ...ethereum, signature, limit: 100 }));
  });

  test('a transaction by some of its assets, and whether that was all', async () => {
    const [first] = blocks.flatMap(({ transactions }) => transactions);
    const request = { ...ethereum, signature: first?.hash ?? '' };
    const whole = await expectSame((reader) => reader.transaction({ ...request, limit: 100 }));
    for (const canonicalAsset of [...CANONICAL_ASSETS, 'none']) {
      const asked = { ...request, canonicalAssets: [canonicalAsset] };
      const all = await expectSame((reader) => reader.transaction({ ...asked, limit: 100 }));
      const expected = whole?.rows.filter((row) => row.canonicalAsset === canonicalAsset) ?? [];
      expect(all).toEqual(expected.length === 0 ? null : { rows: expected, isComplete: true });
      for (const limit of [expected.length, expected.length + 1].filter((some) => some > 0))
        await expectSame((reader) => reader.transaction({ ...asked, limit }));
    }
  });

  test('rows of several transactions at once', async () => {
    const positions = [1_001, 1_030, 1_059].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 0 }));
    const read = (canonicalAssets: readonly string[], limit = 100) =>
      expectSame((reader) => reader.transactionRows({ ...ethereum, positions, canonicalAssets, limit }));
    const rows = await read(CANONICAL_ASSETS);
    expect(rows.length).toBeGreaterThan(3);
    for (const canonicalAsset of CANONICAL_ASSETS) {
      const some = rows.filter((row) => row.canonicalAsset === canonicalAsset);
      expect(await read([canonicalAsset])).toEqual(some);
      expect(await read([canonicalAsset], some.length)).toEqual(some);
    }
  });

  test('who is a service, and all wallets of one', async () => {
    await expectSame((reader) => reader.services({ ...ethereum, addresses: [...WALLETS, 'left'] }));
    for (const entity of ['mix', 'ex', 'nobody'])
      for (const limit of [1, 10])
        await expectSame((reader) => reader.serviceWallets({ ...ethereum, entity, limit }));
  });

  test('what a service got and gave, by amount and time', async () => {
    let rows = 0;
    for (const entity of ['mix', 'ex'])
      for (const direction of DIRECTIONS)
        for (const canonicalAsset of CANONICAL_ASSETS)
          for (const [minRaw, maxRaw] of [
            [1n, 5n],
            [3n, 3n],
            [2n ** 220n, 2n ** 240n],
          ] as const) {
            const range = { fromUnixSeconds: T + 3, toUnixSeconds: T + 17 };
            const request = {
              ...ethereum,
              ...range,
              entity,
              direction,
              canonicalAsset,
              minRaw,
              maxRaw,
              limit: 1_000,
            };
            rows += (await expectSame((reader) => reader.serviceTransfers(request), true)).length;
            await expectSame(async (reader) => {
              const some = await reader.serviceTransfers({ ...request, limit: 3 });
              return some.map(({ amountRaw, blockNumber, txIndex }) => [amountRaw, blockNumber, txIndex]);
            });
          }
    expect(rows).toBeGreaterThan(50);
  });

  test('the latest transfers of a wallet', async () => {
    for (const wallet of WALLETS)
      for (const direction of DIRECTIONS) {
        const range = { fromUnixSeconds: T + 2, toUnixSeconds: T + 15 };
        const request = { ...ethereum, ...range, wallet, direction, canonicalAsset: 'native' };
        await expectSame((reader) => reader.walletTransfers({ ...request, limit: 1_000 }), true);
        const three = await expectSame(async (reader) => {
          const rows = await reader.walletTransfers({ ...request, limit: 3 });
          return rows.map(({ blockNumber, txIndex }) => [blockNumber, txIndex]);
        });
        expect(three).toHaveLength(3);
      }
  });

  test('whom wallets dealt with, all of them and the earliest', async () => {
    for (const canonicalAssets of [['native'], CANONICAL_ASSETS])
      for (const perSideMax of [2, 100]) {
        const leastRaw = canonicalAssets.map(() => 1n);
        const request = { ...ethereum, sides: bothSides(WALLETS), canonicalAssets, leastRaw, perSideMax };
        const found = await expectSame((reader) => reader.neighbours(request), true);
        expect(found.length).toBeGreaterThan(20);
        for (const direction of DIRECTIONS)
          for (const wallets of [WALLETS, WALLETS.slice(0, 2)])
            await expectSame((reader) => {
              const sides = wallets.map((wallet) => ({ wallet, direction }));
              return reader.neighbours({ ...request, sides });
            }, true);
      }
  });

  test('whom wallets paid no less than so much of each asset, or were paid by', async () => {
    const leastRaw = CANONICAL_ASSETS.map((_, index) => BigInt(3 + index));
    const wallets = WALLETS.slice(0, 1);
    for (const [sides, perSideMax] of [
      [bothSides(WALLETS), 100],
      [bothSides(wallets), 400],
    ] as const) {
      const request = { ...ethereum, sides, canonicalAssets: CANONICAL_ASSETS, perSideMax };
      const any = { ...request, leastRaw: CANONICAL_ASSETS.map(() => 1n) };
      const all = await expectSame((reader) => reader.neighbours(any), true);
      const large = await expectSame((reader) => reader.neighbours({ ...request, leastRaw }), true);
      const [some, every] = [large, all].map((side) =>
        side.reduce((sum, { transfers }) => sum + transfers, 0),
      );
      expect(some).toBeLessThan(every ?? 0);
      expect(large.length).toBeGreaterThan(0);
    }
  });

  test('how many counterparties a side has, since when and which of some are among them; none of a side with too many', async () => {
    const sides = bothSides([...WALLETS, 'nobody']);
    const leastRaw = CANONICAL_ASSETS.map(() => 1n);
    for (const among of [WALLETS, ['till', "d'ot"], []])
      for (const othersMax of [3, 16]) {
        const request = { ...ethereum, sides, canonicalAssets: CANONICAL_ASSETS, leastRaw, among, othersMax };
        const counts = await expectSame(async (reader) =>
          (await reader.counterpartyCounts(request)).toSorted((a, b) => (sideOf(a) < sideOf(b) ? -1 : 1)),
        );
        const large = counts.filter(({ others }) => others > othersMax);
        expect(large.length).toBe(othersMax === 3 ? counts.length : 0);
        expect(counts.some(({ met }) => met.length > 0)).toBe(othersMax === 16 && among.length > 0);
      }
  });

  test('of a side with dust alone when it began, and nobody', async () => {
    const sides = bothSides(WALLETS);
    const leastRaw = CANONICAL_ASSETS.map(() => 2n ** 200n);
    const asked = { ...ethereum, sides, canonicalAssets: CANONICAL_ASSETS, among: WALLETS, othersMax: 16 };
    const read = async (leasts: readonly bigint[]) =>
      expectSame(async (reader) =>
        (await reader.counterpartyCounts({ ...asked, leastRaw: leasts })).toSorted((a, b) =>
          sideOf(a) < sideOf(b) ? -1 : 1,
        ),
      );
    const [inEarnest, all] = [await read(leastRaw), await read(CANONICAL_ASSETS.map(() => 1n))];
    expect(inEarnest.map(({ firstUnixSeconds }) => firstUnixSeconds)).toEqual(
      all.map(({ firstUnixSeconds }) => firstUnixSeconds),
    );
    expect(inEarnest.flatMap(({ met }) => met)).not.toEqual(all.flatMap(({ met }) => met));
  });

  test('where wallets dealt with some of those they know', async () => {
    for (const direction of DIRECTIONS) {
      const request = {
        ...ethereum,
        wallets: WALLETS.slice(0, 4),
        direction,
        canonicalAssets: CANONICAL_ASSETS,
      };
      const counterparties = ['pool-a', 'till'];
      const readFrom = (least: bigint) => {
        const leastRaw = CANONICAL_ASSETS.map(() => least);
        return expectSame(
          (reader) => reader.transfersBetween({ ...request, leastRaw, counterparties, limit: 1_000 }),
          true,
        );
      };
      const [all, inEarnest] = [await readFrom(1n), await readFrom(2n ** 200n)];
      expect(inEarnest.length).toBeGreaterThan(5);
      expect(all.length).toBeGreaterThan(inEarnest.length);
    }
  });

  test('from when to when a chain is indexed, and null for one that is not', async () => {
    for (const chain of ['ethereum', 'solana'])
      await expectSame((reader) => reader.indexedSpan({ ...limits, chain }));
  });
});

test('a block that is missing, or a part of one, is told by the times it lies between', async () => {
  const numbers = [...range(1, 20), ...range(24, 40)];
  const rows = numbers.map((number) => ({
    ...{ chain: 'base', number, hash: `b${number}`, parent_number: number - 1, time: T + 10 * number },
    ...{ part: 0, parts: number === 35 ? 2 : 1, sequence: 1_000_000 + number },
  }));
  await stage.warehouse.writer.insert({ table: 'blocks', format: 'JSONEachRow', values: rows });
  const hasGaps = (from: number, to: number) =>
    tables.hasGaps({
      ...{ ...limits, chain: 'base' },
      ...{ fromUnixSeconds: T + 10 * from, toUnixSeconds: T + 10 * to },
    });
  // Memory is told between which blocks one is missing.
  const gap = { fromUnixSeconds: T + 200, toUnixSeconds: T + 240 };
  const memory = createMemoryTraceReader([], { gaps: [gap] });
  for (const [from, to] of [
    [2, 18],
    [2, 20],
    [20, 20],
    [21, 22],
    [24, 24],
    [24, 30],
    [25, 33],
  ] as const) {
    const asked = { fromUnixSeconds: T + 10 * from, toUnixSeconds: T + 10 * to };
    expect(await memory.hasGaps({ ...limits, chain: 'base', ...asked }), `${from} to ${to}`).toBe(
      await hasGaps(from, to),
    );
  }
  expect(await hasGaps(2, 18)).toBe(false);
  // The first block behind the hole is the first behind the range.
  expect(await hasGaps(2, 20)).toBe(true);
  expect(await hasGaps(21, 22)).toBe(true);
  expect(await hasGaps(24, 30)).toBe(true);
  expect(await hasGaps(25, 33)).toBe(false);
  expect(await hasGaps(27, 36)).toBe(true);
  expect(await hasGaps(37, 50)).toBe(false);
});

test('a block whose time nobody told is no end of what is indexed, and hides no block that is missing', async () => {
  const build = (chain: string, numbers: readonly number[], time: (number: number) => number | null) =>
    numbers.map((number) => buildBlock({ chain, number, timeUnixSeconds: time(number), transactions: [] }));
  const insert = (...built: Parameters<typeof build>) => stage.insert(build(...built));
  const unknown = () => null;
  const known = (number: number) => T + 10 * number;
  await insert('bsc', [100, 301], unknown);
  await insert('bsc', [...range(101, 120), ...range(124, 300)], known);
  const ask = { ...limits, chain: 'bsc' };
  expect(await tables.hasGaps({ ...ask, fromUnixSeconds: T + 1_150, toUnixSeconds: T + 1_300 })).toBe(true);
  expect(await tables.hasGaps({ ...ask, fromUnixSeconds: T + 1_300, toUnixSeconds: T + 1_400 })).toBe(false);
  const span = {
    ...{ fromUnixSeconds: T + 1_010, toUnixSeconds: T + 3_000, toBlock: 300 },
    contiguousSinceUnixSeconds: T + 1_240,
  };
  expect(await tables.indexedSpan(ask)).toEqual(span);
  const timeless = [
    build('bsc', [100], unknown),
    build('bsc', range(101, 300), known),
    build('bsc', [301], unknown),
  ];
  const gaps = [{ fromUnixSeconds: T + 1_200, toUnixSeconds: T + 1_240 }];
  expect(await createMemoryTraceReader(timeless.flat(), { gaps }).indexedSpan(ask)).toEqual(span);
  await insert('polygon', [100], unknown);
  await insert('polygon', range(101, 110), known);
  expect(await tables.indexedSpan({ ...limits, chain: 'polygon' })).toMatchObject({
    contiguousSinceUnixSeconds: T + 1_010,
  });
});

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
