import { expect, test } from 'vitest';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { readServiceTransfers } from './service-transfers.ts';

/** What an engine reads of a query unless it is set up otherwise. */
const QUERY_BYTES_MAX = 262_144;

test('where the join finds too many rows, all ranges are read part by part, in queries that an engine reads', async () => {
  const queries: string[] = [];
  // More rows than are taken at once, then one row of the first range of each query.
  const client = {
    query: async ({ query }: { query: string }) => {
      queries.push(query);
      const data = queries.length === 1 ? Array(2_000_000).fill(0) : [[0, 'a', 'b', '5', 7, '8', 9]];
      return { text: async () => JSON.stringify({ data }) };
    },
  } as unknown as WarehouseClient;
  const ranges = Array.from({ length: 250 }, (_, at) => ({
    ...{ minRaw: BigInt(at), maxRaw: BigInt(at + 1), fromUnixSeconds: 1, toUnixSeconds: 2 },
  }));
  const side = {
    chain: 'solana',
    entity: 'desk',
    direction: 'out',
    canonicalAsset: 'native',
    limit: 10,
  } as const;
  const limits = { signal: new AbortController().signal, timeoutMs: 10_000 };
  const each = await readServiceTransfers(client, side, ranges, limits);
  expect(each.flatMap((rows, at) => (rows.length > 0 ? [at] : []))).toEqual([0, 100, 200]);
  expect(queries).toHaveLength(4);
  for (const query of queries) expect(query.length).toBeLessThan(QUERY_BYTES_MAX);
});
