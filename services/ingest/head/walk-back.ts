import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { BlockSource } from '../nodes/block-source.ts';
import { inconsistent } from '../nodes/source-error.ts';
import type { StandingBlock } from './standing-blocks.ts';

/** What we hold was abandoned further back than a chain may change its mind: nothing is taken back, somebody must look. */
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

/** A chain changed its mind. */
export type Reorg = {
  /** Newest first; empty where the block builds on the newest one held. */
  readonly abandoned: readonly StandingBlock[];
  /** What takes their place, oldest first, as far as `adoptedMax`; the rest is to be asked for again. */
  readonly adopted: readonly DecodedBlock[];
};

export type WalkLimits = {
  /** How far below the newest block held one may be taken back, in numbers: what lies deeper is settled. */
  readonly depthMax: number;
  /** Blocks held in memory. */
  readonly adoptedMax: number;
};

/**
 * Goes back from a block by its parents' hashes until one of them is held, or nothing older is. `held` gives the blocks of
 * the log, newest first. Throws `ReorgTooDeepError`; a `SourceError` to try again where the chain changed meanwhile.
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
    // Blocks above the parent, and another one in its place, are not of this chain.
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
