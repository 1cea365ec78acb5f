import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { BlockSource } from '../nodes/block-source.ts';
import { inconsistent } from '../nodes/source-error.ts';
import type { StandingBlock } from './standing-blocks.ts';

/** The reorganisation is deeper than allowed: nothing is retracted, an operator must look. */
export class ReorgTooDeepError extends Error {
  readonly code = 'reorg_too_deep';
  constructor(block: DecodedBlock, depthMax: number) {
    super(
      `${block.chain} block ${block.number} builds on nothing held here in the last ${depthMax} numbers: ` +
        'the node may follow another chain; nothing was taken back',
    );
    this.name = 'ReorgTooDeepError';
  }
}

/** A reorganisation. */
export type Reorg = {
  /** Newest first; empty if the block builds on the newest held one. */
  readonly abandoned: readonly StandingBlock[];
  /** Their replacements, oldest first, up to `adoptedMax`; the rest is requested again. */
  readonly adopted: readonly DecodedBlock[];
};

export type WalkLimits = {
  /** How many numbers below the newest held block may be retracted; deeper blocks are final. */
  readonly depthMax: number;
  /** Blocks held in memory. */
  readonly adoptedMax: number;
};

/**
 * Walks back from a block by parent hashes until a held block is found, or nothing older is held. `held` gives the
 * log's blocks, newest first. Throws `ReorgTooDeepError`; a `SourceError` if the chain changed meanwhile.
 */
export const walkBack = async (
  { source, held, signal }: { source: BlockSource; held: AsyncIterator<StandingBlock>; signal: AbortSignal },
  newest: DecodedBlock,
  { depthMax, adoptedMax }: WalkLimits,
): Promise<Reorg> => {
  const abandoned: StandingBlock[] = [];
  const adopted = [newest];
  for (let block = newest, candidate = await held.next(); ; ) {
    const parent = { number: parentOf(block), hash: block.parentHash };
    // Blocks above the parent, and another one at its number, are not of this chain.
    while (!candidate.done && candidate.value.number >= parent.number) {
      if (candidate.value.hash === parent.hash) return { abandoned, adopted };
      abandoned.push(candidate.value);
      const depth = (abandoned[0]?.number ?? 0) - candidate.value.number;
      if (depth >= depthMax) throw new ReorgTooDeepError(newest, depthMax);
      candidate = await held.next();
    }
    const oldest = abandoned.at(-1);
    if (candidate.done && (!oldest || parent.number < oldest.number)) return { abandoned, adopted };
    block = await fetchParent(source, parent, signal);
    adopted.unshift(block);
    if (adopted.length > adoptedMax) adopted.pop();
  }
};

const parentOf = (block: DecodedBlock): number => {
  const number = block.parentNumber ?? block.number - 1;
  if (number < block.number) return number;
  throw inconsistent(`block ${block.number} names ${number} as its parent`);
};

const fetchParent = async (
  source: BlockSource,
  parent: { number: number; hash: string },
  signal: AbortSignal,
): Promise<DecodedBlock> => {
  const fetched = await source.fetch(parent.number, signal);
  if (fetched.status === 'block' && fetched.decoded.hash === parent.hash) return fetched.decoded;
  throw inconsistent(`block ${parent.number} changed while its chain was followed back`);
};
