import type { Address } from './address.ts';
import type { Backfill, Backfills } from './backfills.ts';
import type { Chain } from './chain.ts';
import type { ContiguousRange } from './transfer-reader.ts';

/**
 * Whether a history was read whole. Missing blocks are no evidence of absence, so every fact that needs a
 * history (the first, the last, the only one, a balance, a share) asks here first: docs/checks.md lists them.
 *
 * `unread`: the chain's nodes have not been asked for this wallet's history yet. `part`: the available
 * history is incomplete.
 */
export type History = 'whole' | 'unread' | 'part';

type Span = Pick<
  ContiguousRange,
  'beginsChain' | 'beginningToBlock' | 'fromBlock' | 'fromUnixSeconds'
> | null;

type Numbered = { readonly blockNumber: number };

/** Whether a block and all blocks after it are indexed. */
export const isReadSince = (span: Span, { blockNumber }: Numbered): boolean =>
  span !== null && (span.beginsChain || span.fromBlock <= blockNumber);

/** Whether all blocks before a block are indexed: what was first by then, stays so whatever is missing later. */
export const isReadBefore = (span: Span, { blockNumber }: Numbered): boolean =>
  span !== null &&
  (span.beginsChain || (span.beginningToBlock !== null && blockNumber <= span.beginningToBlock));

/**
 * For how many seconds before a transaction no block is missing; below 0 where that is not known.
 * Who was silent all that time probably did nothing before, which an answer must still say it does not know.
 */
export const secondsReadBefore = (
  span: Span,
  { blockNumber, blockTime }: { readonly blockNumber: number; readonly blockTime: number },
): number => {
  if (isReadBefore(span, { blockNumber })) return Number.POSITIVE_INFINITY;
  return span !== null && isReadSince(span, { blockNumber }) ? blockTime - span.fromUnixSeconds : -1;
};

/** Below a day of blocks, what a wallet did first, or did not do, is not told at all. */
export const READ_SECONDS_MIN = 86_400;

/** Whether all blocks that may name a token are indexed. `creation` is null when its event is not kept. */
export const isTokenRead = (span: Span, creation: { readonly blockNumber: number } | null): boolean =>
  span?.beginsChain === true || (creation !== null && isReadSince(span, creation));

type Wallet = { readonly chain: Chain; readonly wallet: Address };

/** A wallet's history in one kind of asset may be whole although that in others is not. */
const hasAll: Readonly<Record<'all' | 'coin' | 'token', readonly Backfill['missing'][]>> = {
  all: ['nothing'],
  coin: ['nothing'],
  token: ['nothing', 'coin'],
};

/**
 * How much of a wallet's history the tables hold. It is whole when blocks are indexed from the chain's first
 * one on, or when the history was backfilled and blocks are indexed from then on.
 */
export const walletHistory = (
  { chain, wallet }: Wallet,
  span: Span,
  backfills: Backfills,
  of: keyof typeof hasAll = 'all',
): History => {
  if (span?.beginsChain) return 'whole';
  const read = backfills.lastBackfill(chain.name, wallet);
  const isContinued = span === null || span.fromUnixSeconds <= (read?.readAtUnixSeconds ?? 0);
  if (read === null || !isContinued) return backfills.canBackfill(chain.name) ? 'unread' : 'part';
  return hasAll[of].includes(read.missing) ? 'whole' : 'part';
};

/** A sentence for a fact that holds only for what was read. */
export const describeSeenIn = (span: Pick<ContiguousRange, 'fromUnixSeconds'> | null): string =>
  span === null
    ? 'No block is indexed here.'
    : `Seen only in indexed blocks: not all blocks before ${new Date(span.fromUnixSeconds * 1_000).toISOString()} are indexed.`;
