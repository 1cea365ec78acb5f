import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { BlockSource, FetchResult } from '../nodes/block-source.ts';
import type { StandingBlock } from './standing-blocks.ts';
import { type Reorg, type WalkLimits, walkBack } from './walk-back.ts';

export type LastBlock = { readonly number: number; readonly hash: string };

/** A block between the one we hold and this one was not given to us: asked for again, never passed over. */
export class GapSeenError extends Error {
  readonly code = 'gap_seen';
  constructor(chain: string, block: DecodedBlock, held: LastBlock) {
    super(
      `${chain} block ${block.number} follows ${block.parentNumber}, but the last one here is ${held.number}`,
    );
    this.name = 'GapSeenError';
  }
}

/** What follows the block we hold: `adopted` builds on it, or on what stays when `abandoned` is taken back. */
export type NextBlocks = Reorg & {
  /** The first number that was not settled. */
  readonly next: number;
  /** Whether the chain had no more to say. */
  readonly isAtEnd: boolean;
  /** Whether the next number could not be told now: asked for alone, those behind it are not read again meanwhile. */
  readonly isHeldUp: boolean;
};

export type ReadRange = {
  readonly first: number;
  readonly count: number;
  readonly last: LastBlock | null;
  /** The blocks of the log, newest first: read only where the chain changed its mind. */
  readonly held: () => AsyncIterator<StandingBlock>;
};

/**
 * The blocks of a range that follow each other by their parents' hashes, up to the first number that the chain cannot
 * answer yet, or that the source fails at. Throws `GapSeenError`, `ReorgTooDeepError`, and what the source throws at the first.
 */
export const readNext = async (
  source: BlockSource,
  { first, count, last, held }: ReadRange,
  limits: WalkLimits,
  signal: AbortSignal,
): Promise<NextBlocks> => {
  const numbers = Array.from({ length: count }, (_, i) => first + i);
  const asked = await Promise.allSettled(numbers.map((number) => source.fetch(number, signal)));
  signal.throwIfAborted();
  const [failed] = asked;
  if (failed?.status === 'rejected') throw failed.reason;
  const fetched = untilFailed(asked);
  const end = fetched.findIndex(({ status }) => status === 'not_yet');
  const isAtEnd = end >= 0;
  const settled = isAtEnd ? fetched.slice(0, end) : fetched;
  const blocks = settled.flatMap((f) => (f.status === 'block' ? [f.decoded] : []));
  const linked = countLinked(blocks, last);
  if (linked === blocks.length)
    return {
      ...{ abandoned: [], adopted: blocks, next: first + settled.length },
      ...{ isAtEnd, isHeldUp: !isAtEnd && fetched.length < count },
    };
  const stray = blocks[linked];
  if (linked > 0 || !stray || !last) return endingWith({ abandoned: [], adopted: blocks.slice(0, linked) });
  if (stray.parentNumber !== null && stray.parentNumber > last.number)
    throw new GapSeenError(source.chain, stray, last);
  return endingWith(await walkBack({ source, held: held(), signal }, stray, limits));
};

const untilFailed = (asked: readonly PromiseSettledResult<FetchResult>[]): FetchResult[] => {
  const fetched: FetchResult[] = [];
  for (const one of asked) {
    if (one.status === 'rejected') break;
    fetched.push(one.value);
  }
  return fetched;
};

const countLinked = (blocks: readonly DecodedBlock[], last: LastBlock | null): number => {
  const stray = blocks.findIndex((block, i) => {
    const before = blocks[i - 1] ?? last;
    return before !== null && block.parentHash !== before.hash;
  });
  return stray < 0 ? blocks.length : stray;
};

/** The rest of the range is asked for again, from behind what is sure. */
const endingWith = (reorg: Reorg): NextBlocks => ({
  ...reorg,
  next: (reorg.adopted.at(-1)?.number ?? 0) + 1,
  isAtEnd: false,
  isHeldUp: false,
});
