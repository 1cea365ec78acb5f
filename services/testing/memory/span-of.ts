import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { ContiguousRange } from '../../investigate/model/transfer-reader.ts';

export type IndexedBlocks = {
  /** Since when blocks have no gap; unless it is given, the blocks are all that the chain ever had. */
  readonly indexedSince?: number;
  /** The newest indexed block; unless it is given, one behind the last. */
  readonly headBlock?: number;
};

/** The blocks that a story tells of, as indexed without a gap. */
export const spanOf = (
  blocks: readonly DecodedBlock[],
  chain: string,
  { indexedSince, headBlock }: IndexedBlocks,
): ContiguousRange | null => {
  const ofChain = blocks.filter((block) => block.chain === chain);
  const times = ofChain.map((block) => block.timeUnixSeconds ?? 0);
  if (times.length === 0) return null;
  const first = times.reduce((a, b) => Math.min(a, b));
  return {
    fromUnixSeconds: indexedSince ?? first,
    fromBlock: ofChain
      .filter((block) => (block.timeUnixSeconds ?? 0) >= (indexedSince ?? 0))
      .reduce((lowest, { number }) => Math.min(lowest, number), Number.MAX_SAFE_INTEGER),
    toUnixSeconds: times.reduce((a, b) => Math.max(a, b)),
    // Unless it is said, the chain went on behind a story, without anything that it tells of.
    toBlock: headBlock ?? ofChain.reduce((newest, { number }) => Math.max(newest, number), 0) + 1,
    beginsChain: indexedSince === undefined,
  };
};
