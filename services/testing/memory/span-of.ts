import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { ContiguousRange } from '../../investigate/model/transfer-reader.ts';

export type IndexedBlocks = {
  /** Since when blocks have no gap; unless it is given, the blocks are all that the chain ever had. */
  readonly indexedSince?: number | undefined;
  /** Since when blocks are missing, where those before are all that the chain had by then; goes with `indexedSince`. */
  readonly missingSince?: number | undefined;
  /** The newest indexed block; unless it is given, one behind the last. */
  readonly headBlock?: number | undefined;
};

/** The blocks that a story tells of, as indexed without a gap. */
export const spanOf = (
  blocks: readonly DecodedBlock[],
  chain: string,
  { indexedSince, missingSince, headBlock }: IndexedBlocks,
): ContiguousRange | null => {
  const ofChain = blocks.filter((block) => block.chain === chain);
  const times = ofChain.map((block) => block.timeUnixSeconds ?? 0);
  if (times.length === 0) return null;
  const first = times.reduce((a, b) => Math.min(a, b));
  // Unless it is said, the chain went on behind a story, without anything that it tells of.
  const toBlock = headBlock ?? ofChain.reduce((newest, { number }) => Math.max(newest, number), 0) + 1;
  return {
    fromUnixSeconds: indexedSince ?? first,
    fromBlock: ofChain
      .filter((block) => (block.timeUnixSeconds ?? 0) >= (indexedSince ?? 0))
      .reduce((lowest, { number }) => Math.min(lowest, number), Number.MAX_SAFE_INTEGER),
    toUnixSeconds: times.reduce((a, b) => Math.max(a, b)),
    toBlock,
    beginsChain: indexedSince === undefined,
    beginningToBlock: indexedSince === undefined ? toBlock : lastBefore(ofChain, missingSince),
  };
};

const lastBefore = (ofChain: readonly DecodedBlock[], unixSeconds: number | undefined): number | null =>
  unixSeconds === undefined
    ? null
    : ofChain
        .filter(({ timeUnixSeconds }) => (timeUnixSeconds ?? 0) < unixSeconds)
        .reduce((newest, { number }) => Math.max(newest, number), 0);
