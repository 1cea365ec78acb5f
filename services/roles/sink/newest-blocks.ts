import type { LiveChain } from '../../platform/config/chains.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { readIndexedHead } from '../../warehouse/read/blocks/indexed-head.ts';
import type { NewestBlock } from '../store/store-metrics.ts';

const TIMEOUT_MS = 1_500;

/** The time of the newest block in the tables, for each followed chain with blocks. */
export const readNewestBlocks = async (
  { reader }: Pick<Warehouse, 'reader'>,
  chains: readonly Pick<LiveChain, 'name' | 'commitment'>[],
): Promise<NewestBlock[]> => {
  const limits = { signal: AbortSignal.timeout(TIMEOUT_MS), timeoutMs: TIMEOUT_MS };
  const blocks = chains.map(async ({ name: chain, commitment: finality }) => {
    const newest = await readIndexedHead(reader, { chain, ...limits });
    return newest ? [{ chain, finality, timeUnixSeconds: newest.timeUnixSeconds }] : [];
  });
  return (await Promise.all(blocks)).flat();
};
