// Short runs of blocks spread over the partitions of the history, so that a range of any length keeps all of them busy.
const BLOCKS_PER_KEY = 50;

/** The key of a finalised block in `transfers.history`: blocks that follow each other stay together. */
export const historyKey = (chain: string, blockNumber: number): string =>
  `${chain}:${Math.floor(blockNumber / BLOCKS_PER_KEY)}`;
