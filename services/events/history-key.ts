// Short runs of blocks spread over the history's partitions, so that any range keeps all of them busy.
const BLOCKS_PER_KEY = 50;

/** The key of a final block in `transfers.history`: neighbouring blocks stay together. */
export const historyKey = (chain: string, blockNumber: number): string =>
  `${chain}:${Math.floor(blockNumber / BLOCKS_PER_KEY)}`;
