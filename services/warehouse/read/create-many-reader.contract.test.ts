import { beforeAll, expect, test } from 'vitest';
import type { Many, ManyReader } from '../../investigate/model/many-reader.ts';
import { bothSides, type Service } from '../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../investigate/model/transfer-reader.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { CANONICAL_ASSETS, CHAINS, randomBlocks, WALLETS } from '../../testing/random-blocks.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { createManyReader } from './create-many-reader.ts';

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
let reader: ManyReader;

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
  reader = createManyReader(stage.warehouse.reader);
});

/** What each is answered alone; gives how many rows that were. */
const expectEach = async <Request extends ReadLimits, Answer>(
  requests: Many<Request>,
  askMany: (requests: Many<Request>, limits: ReadLimits) => Promise<readonly Answer[]>,
  ask: (request: Request) => Promise<Answer>,
): Promise<number> => {
  const together = await askMany(requests, limits);
  const each: Answer[] = [];
  for (const request of requests) each.push(await ask({ ...request, ...limits } as Request));
  expect(together).toEqual(each);
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
    const requests = CHAINS.flatMap((chain) =>
      [...signatures, 'nowhere', "it's"].map((signature) => ({
        ...{ chain, signature, limit },
        ...(canonicalAssets && { canonicalAssets }),
      })),
    );
    const known = await expectEach(requests, reader.transactionsOf, reader.transaction);
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
  const requests = CHAINS.flatMap((chain) =>
    ['mix', 'ex'].flatMap((entity) =>
      DIRECTIONS.flatMap((direction) =>
        CANONICAL_ASSETS.slice(0, 2).flatMap((canonicalAsset) =>
          ranges.flatMap(([minRaw, maxRaw], index) =>
            [1, 40].map((seconds) => {
              const fromUnixSeconds = times[(index * 7) % 40] ?? 0;
              return {
                ...{ chain, entity, direction, canonicalAsset, minRaw, maxRaw, fromUnixSeconds },
                ...{ toUnixSeconds: fromUnixSeconds + seconds, limit: index === 0 ? 3 : 1_000 },
              };
            }),
          ),
        ),
      ),
    ),
  );
  const rows = await expectEach(requests, reader.serviceTransfersOf, reader.serviceTransfers);
  expect(rows).toBeGreaterThan(100);
});

test('the latest transfers of wallets until many times', async () => {
  const times = blocks.flatMap(({ timeUnixSeconds }) => timeUnixSeconds ?? []);
  const requests = CHAINS.flatMap((chain) =>
    [...WALLETS.slice(0, 2), BUSY].flatMap((wallet) =>
      DIRECTIONS.flatMap((direction) =>
        [0, 3, 11, 30].flatMap((at) =>
          [1, 5].map((limit) => ({
            ...{ chain, wallet, direction, limit, canonicalAsset: 'native' },
            ...{ fromUnixSeconds: 0, toUnixSeconds: (times[at] ?? 0) + (at % 2) },
          })),
        ),
      ),
    ),
  );
  expect(await expectEach(requests, reader.walletTransfersOf, reader.walletTransfers)).toBeGreaterThan(50);
});

test('whom many wallets dealt with, also one whose transfers are more than the ends of its range', async () => {
  const canonicalAssets = ['native', 'token'];
  for (const leastRaw of [
    [1n, 1n],
    [500n, 2n ** 200n],
  ]) {
    const requests = CHAINS.flatMap((chain) =>
      [...WALLETS, BUSY, 'payee-5', 'nobody'].map((wallet) => ({
        ...{ chain, sides: bothSides([wallet]), canonicalAssets, leastRaw, perSideMax: 800 },
      })),
    );
    const known = await expectEach(requests, reader.neighboursOf, reader.neighbours);
    expect(known).toBeGreaterThan(leastRaw[0] === 1n ? 720 : 10);
  }
});
