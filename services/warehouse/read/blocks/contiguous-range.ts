import type { ReadLimits, TransferReader } from '../../../investigate/model/transfer-reader.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { createBeginning } from './beginning.ts';
import { type BlockTable, readIndexedHead } from './indexed-head.ts';
import { createLastGap } from './last-gap.ts';

/**
 * The blocks from the newest back to the last gap, and those before the first; null when there are none. One query when the gaps are
 * cached and no block arrived since.
 */
export const createContiguousRange = (
  client: WarehouseClient,
  clock: Clock,
  table: BlockTable = 'blocks',
): TransferReader['contiguousRange'] => {
  const readBegin = createLastGap(client, clock, table);
  const readBeginning = createBeginning(client, table);
  const readRange = async (request: ReadLimits & { readonly chain: string }) => {
    const head = await readIndexedHead(client, request, table);
    if (head === null) return null;
    const { number, timeUnixSeconds } = await readBegin(request, head);
    const beginsChain = number <= 1;
    return {
      fromUnixSeconds: timeUnixSeconds,
      toUnixSeconds: head.timeUnixSeconds,
      fromBlock: number,
      toBlock: head.number,
      beginsChain,
      beginningToBlock: beginsChain ? head.number : await readBeginning(request.chain, number),
    };
  };
  return (_, chains, limits) => Promise.all(chains.map((chain) => readRange({ chain, ...limits })));
};
