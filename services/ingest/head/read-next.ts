import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { BlockSource, FetchResult } from '../nodes/block-source.ts';
import type { StandingBlock } from './standing-blocks.ts';
import { type Reorg, type WalkLimits, walkBack } from './walk-back.ts';

export type LastBlock = { readonly number: number; readonly hash: string };

/** The block between the held one and this one is missing: it is requested again, never skipped. */
export class GapSeenError extends Error {
  readonly code = 'gap_seen';
  constructor(chain: string, block: DecodedBlock, held: LastBlock) {
    super(
      `${chain} block ${block.number} follows ${block.parentNumber}, but the last one here is ${held.number}`,
    );
    this.name = 'GapSeenError';
  }
}

/**
 * The blocks after the held one: `adopted` builds on it, or on the blocks that remain without `abandoned`.
 */
export type NextBlocks = Reorg & {
  /** The first number that is not settled. */
  readonly next: number;
  /** Whether the chain had no more blocks. */
  readonly isAtEnd: boolean;
  /** Whether the next number failed: it is then requested alone, without those after it. */
  readonly isHeldUp: boolean;
};

export type ReadRange = {
  readonly first: number;
  readonly count: number;
  readonly last: LastBlock | null;
  /** The log's blocks, newest first; read only in a reorganisation. */
  readonly held: () => AsyncIterator<StandingBlock>;
};

/**
 * The blocks of a range that follow each other by parent hashes, up to the first number that the chain does not
 * have yet or the source fails at. Throws `GapSeenError`, `ReorgTooDeepError`, and the source's error if the first
 * number fails.
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

/** The rest of the range is requested again, after the certain part. */
const endingWith = (reorg: Reorg): NextBlocks => ({
  ...reorg,
  next: (reorg.adopted.at(-1)?.number ?? 0) + 1,
  isAtEnd: false,
  isHeldUp: false,
});
