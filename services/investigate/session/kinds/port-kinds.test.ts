import { expect, test } from 'vitest';
import { withRoom } from '../../../testing/memory/with-room.ts';
import type { OnChain, TransactionPosition } from '../../model/transfer-reader.ts';
import { openPorts } from './port-kinds.ts';

test('a transaction for which one answer had no room is asked for again', async () => {
  const lists: number[][] = [];
  const reader = {
    wholeTransactions: async (
      { limit }: OnChain & { readonly limit: number },
      keys: readonly TransactionPosition[],
    ) => {
      lists.push(keys.map(({ blockNumber }) => blockNumber));
      return withRoom(keys, limit, (key) => Array(5).fill(key.blockNumber));
    },
  };
  const { reader: read } = openPorts(
    { reader },
    {
      ...{ clock: { nowUnixMs: () => 0 }, signal: new AbortController().signal },
      budget: { ms: 60_000, readMs: 20_000 },
    },
  );
  const places = [1, 2].map((at) => ({ blockTime: at, blockNumber: at, txIndex: 0 }));
  const rows = await read.wholeTransactions({ chain: 'base', limit: 8 }, places);
  expect(rows.map((of) => of?.length)).toEqual([5, 5]);
  expect(lists).toEqual([[1, 2], [2]]);
});
