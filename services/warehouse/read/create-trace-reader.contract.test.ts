import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { MOVEMENT_KINDS } from '../../investigate/model/movement.ts';
import { bothSides, type Service, type TraceReader } from '../../investigate/model/trace-reader.ts';
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
const ethereum = { chain: 'ethereum' };

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

const DIRECTIONS = ['in', 'out'] as const;
const OF_100 = { ...ethereum, limit: 100 };
const CANONICAL_ASSETS = ['native', 'token'];

describe('the tables answer as memory does:', () => {
  test('every transaction by its signature, and null for one that is nowhere', async () => {
    const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
    const signatures = [...hashes.slice(0, 40), 'empty', 'nowhere'];
    const alone: unknown[] = [];
    for (const signature of signatures)
      alone.push(...(await expectSame((reader) => reader.transaction(OF_100, [signature], limits))));
    expect(await expectSame((reader) => reader.transaction(OF_100, signatures, limits))).toEqual(alone);
  });

  test('a transaction by some of its assets, and whether that was all', async () => {
    const [first] = blocks.flatMap(({ transactions }) => transactions);
    const signatures = [first?.hash ?? ''];
    const [whole] = await expectSame((reader) => reader.transaction(OF_100, signatures, limits));
    for (const canonicalAsset of [...CANONICAL_ASSETS, 'none']) {
      const asked = { ...OF_100, canonicalAssets: [canonicalAsset] };
      const [all] = await expectSame((reader) => reader.transaction(asked, signatures, limits));
      const expected = whole?.rows.filter((row) => row.canonicalAsset === canonicalAsset) ?? [];
      expect(all).toEqual(expected.length === 0 ? null : { rows: expected, isComplete: true });
      for (const limit of [expected.length, expected.length + 1].filter((some) => some > 0))
        await expectSame((reader) => reader.transaction({ ...asked, limit }, signatures, limits));
    }
  });

  test('rows of several transactions at once', async () => {
    const positions = [1_001, 1_030, 1_059].map((blockNumber) => ({ blockTime: 0, blockNumber, txIndex: 0 }));
    const read = (canonicalAssets: readonly string[], limit = 100) =>
      expectSame((reader) =>
        reader.transactionRows({ ...ethereum, canonicalAssets, limit }, positions, limits),
      );
    const rows = await read(CANONICAL_ASSETS);
    expect(rows.flat().length).toBeGreaterThan(3);
    for (const canonicalAsset of CANONICAL_ASSETS) {
      const some = rows.map((of) => of?.filter((row) => row.canonicalAsset === canonicalAsset));
      expect(await read([canonicalAsset])).toEqual(some);
      // The last one that has any may have more.
      const last = some.findLastIndex((of) => (of ?? []).length > 0);
      const cut = some.map((of, at) => (at < last ? of : null));
      expect(await read([canonicalAsset], some.flat().length)).toEqual(cut);
    }
  });

  test('who is a service, and all wallets of one', async () => {
    await expectSame((reader) => reader.services(ethereum, [...WALLETS, 'left'], limits));
    for (const limit of [1, 10])
      await expectSame((reader) =>
        reader.serviceWallets({ ...ethereum, limit }, ['mix', 'ex', 'nobody'], limits),
      );
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
            const range = { fromUnixSeconds: T + 3, toUnixSeconds: T + 17, minRaw, maxRaw };
            const side = { ...ethereum, entity, direction, canonicalAsset };
            const all = await expectSame(
              async (reader) =>
                (await reader.serviceTransfers({ ...side, limit: 1_000 }, [range], limits)).flat(),
              true,
            );
            rows += all.length;
            await expectSame(async (reader) => {
              const some = (await reader.serviceTransfers({ ...side, limit: 3 }, [range], limits)).flat();
              return some.map(({ amountRaw, blockNumber, txIndex }) => [amountRaw, blockNumber, txIndex]);
            });
          }
    expect(rows).toBeGreaterThan(50);
  });

  test('the latest transfers of a wallet', async () => {
    for (const wallet of WALLETS)
      for (const direction of DIRECTIONS) {
        const range = { fromUnixSeconds: T + 2, toUnixSeconds: T + 15 };
        const of = { ...ethereum, direction, canonicalAsset: 'native' };
        const read = async (reader: TraceReader, limit: number) =>
          (await reader.walletTransfers({ ...of, limit }, [{ ...range, wallet }], limits)).flat();
        await expectSame((reader) => read(reader, 1_000), true);
        const three = await expectSame(async (reader) => {
          const rows = await read(reader, 3);
          return rows.map(({ blockNumber, txIndex }) => [blockNumber, txIndex]);
        });
        expect(three).toHaveLength(3);
      }
  });

  test('whom wallets dealt with, all of them and the earliest', async () => {
    // Ten transfers for each of two counterparties are not all that these have.
    for (const canonicalAssets of [['native'], CANONICAL_ASSETS])
      for (const [perSideMax, fromBeginning] of [
        [2, false],
        [100, false],
        [100, true],
      ] as const) {
        const leastRaw = canonicalAssets.map(() => 1n);
        const of = { ...ethereum, canonicalAssets, leastRaw, perSideMax, fromBeginning };
        const found = await expectSame((reader) => reader.neighbours(of, bothSides(WALLETS), limits));
        expect(found.flat().length).toBeGreaterThan(20);
        for (const direction of DIRECTIONS)
          for (const wallets of [WALLETS, WALLETS.slice(0, 2)])
            await expectSame((reader) => {
              const sides = wallets.map((wallet) => ({ wallet, direction }));
              return reader.neighbours(of, sides, limits);
            });
      }
  });

  test('whom wallets paid no less than so much of each asset, or were paid by', async () => {
    const leastRaw = CANONICAL_ASSETS.map((_, index) => BigInt(3 + index));
    const wallets = WALLETS.slice(0, 1);
    for (const [sides, perSideMax, fromBeginning] of [
      [bothSides(WALLETS), 100, false],
      [bothSides(wallets), 400, true],
    ] as const) {
      const of = { ...ethereum, canonicalAssets: CANONICAL_ASSETS, perSideMax, fromBeginning };
      const any = { ...of, leastRaw: CANONICAL_ASSETS.map(() => 1n) };
      const all = await expectSame((reader) => reader.neighbours(any, sides, limits));
      const large = await expectSame((reader) => reader.neighbours({ ...of, leastRaw }, sides, limits));
      const [some, every] = [large, all].map((side) =>
        side.flat().reduce((sum, { transfers }) => sum + transfers, 0),
      );
      expect(some).toBeLessThan(every ?? 0);
      expect(large.flat().length).toBeGreaterThan(0);
    }
  });

  test('how many counterparties a side has, since when and which of some are among them; none of a side with too many', async () => {
    const sides = bothSides([...WALLETS, 'nobody']);
    const leastRaw = CANONICAL_ASSETS.map(() => 1n);
    for (const among of [WALLETS, ['till', "d'ot"], []])
      for (const othersMax of [3, 16]) {
        const of = { ...ethereum, canonicalAssets: CANONICAL_ASSETS, leastRaw, othersMax };
        const asked = sides.map((side) => ({ ...side, among }));
        const all = await expectSame((reader) => reader.counterpartyCounts(of, asked, limits));
        const counts = all.filter((count) => count !== null);
        const large = counts.filter(({ others }) => others > othersMax);
        expect(large.length).toBe(othersMax === 3 ? counts.length : 0);
        expect(counts.some(({ met }) => met.length > 0)).toBe(othersMax === 16 && among.length > 0);
      }
  });

  test('of a side with dust alone when it began, and nobody', async () => {
    const sides = bothSides(WALLETS);
    const leastRaw = CANONICAL_ASSETS.map(() => 2n ** 200n);
    const of = { ...ethereum, canonicalAssets: CANONICAL_ASSETS, othersMax: 16 };
    const asked = sides.map((side) => ({ ...side, among: WALLETS }));
    const read = async (leasts: readonly bigint[]) => {
      const counts = await expectSame((reader) =>
        reader.counterpartyCounts({ ...of, leastRaw: leasts }, asked, limits),
      );
      return counts.filter((count) => count !== null);
    };
    const [inEarnest, all] = [await read(leastRaw), await read(CANONICAL_ASSETS.map(() => 1n))];
    expect(inEarnest.map(({ firstUnixSeconds }) => firstUnixSeconds)).toEqual(
      all.map(({ firstUnixSeconds }) => firstUnixSeconds),
    );
    expect(inEarnest.flatMap(({ met }) => met)).not.toEqual(all.flatMap(({ met }) => met));
  });

  test('where wallets dealt with some of those they know', async () => {
    for (const direction of DIRECTIONS) {
      const of = { ...ethereum, direction, canonicalAssets: CANONICAL_ASSETS };
      const counterparties = ['pool-a', 'till'];
      const readFrom = async (least: bigint, limit = 1_000) => {
        const leastRaw = CANONICAL_ASSETS.map(() => least);
        const each = await expectSame((reader) =>
          reader.transfersBetween({ ...of, leastRaw, counterparties, limit }, WALLETS.slice(0, 4), limits),
        );
        return each.flat();
      };
      const [all, inEarnest] = [await readFrom(1n), await readFrom(2n ** 200n)];
      expect((await readFrom(1n, 2)).length).toBeLessThan(all.length);
      expect(inEarnest.length).toBeGreaterThan(5);
      expect(all.length).toBeGreaterThan(inEarnest.length);
    }
  });

  test('from when to when a chain is indexed, and null for one that is not', async () => {
    await expectSame((reader) => reader.indexedSpan({}, ['ethereum', 'solana'], limits));
  });
});

test('a block that is missing, or a part of one, is told by the times it lies between', async () => {
  const numbers = [...range(1, 20), ...range(24, 40)];
  const rows = numbers.map((number) => ({
    ...{ chain: 'base', number, hash: `b${number}`, parent_number: number - 1, time: T + 10 * number },
    ...{ part: 0, parts: number === 35 ? 2 : 1, sequence: 1_000_000 + number },
  }));
  await stage.warehouse.writer.insert({ table: 'blocks', format: 'JSONEachRow', values: rows });
  const hasGaps = async (from: number, to: number) => {
    const times = { fromUnixSeconds: T + 10 * from, toUnixSeconds: T + 10 * to };
    return (await tables.hasGaps({ chain: 'base' }, [times], limits))[0];
  };
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
    expect(await memory.hasGaps({ chain: 'base' }, [asked], limits), `${from} to ${to}`).toEqual([
      await hasGaps(from, to),
    ]);
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
  const times = [
    { fromUnixSeconds: T + 1_150, toUnixSeconds: T + 1_300 },
    { fromUnixSeconds: T + 1_300, toUnixSeconds: T + 1_400 },
  ];
  expect(await tables.hasGaps({ chain: 'bsc' }, times, limits)).toEqual([true, false]);
  const span = {
    ...{ fromUnixSeconds: T + 1_010, toUnixSeconds: T + 3_000, toBlock: 300 },
    contiguousSinceUnixSeconds: T + 1_240,
  };
  expect(await tables.indexedSpan({}, ['bsc'], limits)).toEqual([span]);
  const timeless = [
    build('bsc', [100], unknown),
    build('bsc', range(101, 300), known),
    build('bsc', [301], unknown),
  ];
  const gaps = [{ fromUnixSeconds: T + 1_200, toUnixSeconds: T + 1_240 }];
  const inMemory = createMemoryTraceReader(timeless.flat(), { gaps });
  expect(await inMemory.indexedSpan({}, ['bsc'], limits)).toEqual([span]);
  await insert('polygon', [100], unknown);
  await insert('polygon', range(101, 110), known);
  expect(await tables.indexedSpan({}, ['polygon'], limits)).toMatchObject([
    { contiguousSinceUnixSeconds: T + 1_010 },
  ]);
});

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
