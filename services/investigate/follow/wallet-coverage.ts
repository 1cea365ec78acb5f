import { NATIVE } from '../model/movement.ts';
import type { ContiguousRange, TransactionPosition } from '../model/transfer-reader.ts';
import type { FollowContext, FollowedWallet } from './follow-context.ts';
import type { FollowRequest } from './trail.ts';

/** `unread`: not indexed, but the chain's nodes can still be asked. `part`: some rows are missing and cannot be had. */
export type Known = 'whole' | 'unread' | 'part';

/** What the tables hold of a wallet. */
export type WalletCoverage = {
  /** Since the money arrived, which is what a trail needs; backward, just before it left. */
  readonly sinceInflow: Known;
  /** From its first transaction on. */
  readonly lifetime: Known;
};

/**
 * Missing rows are no evidence of absence. A wallet is known where its blocks are indexed without a gap, or where its history was
 * read by itself and blocks are indexed from then on. `outflows` is what was found to have left.
 */
export const walletCoverage = async (
  context: FollowContext,
  current: FollowedWallet,
  outflows: readonly TransactionPosition[],
): Promise<WalletCoverage> => {
  const span = await context.span;
  const { request } = context;
  const aside = backfilled(context, current, span);
  const hasInflow = isIndexed(request, current, outflows, span);
  return { sinceInflow: hasInflow ? 'whole' : aside, lifetime: span?.beginsChain ? 'whole' : aside };
};

/** Backward, the first row found must be the latest one, so everything since then must be known. */
const isIndexed = (
  { backward, atUnixSeconds }: FollowRequest,
  { stake: { lots } }: FollowedWallet,
  outflows: readonly TransactionPosition[],
  span: ContiguousRange | null,
): boolean => {
  if (span === null) return false;
  const asked = atUnixSeconds ?? (backward ? Number.POSITIVE_INFINITY : 0);
  const first = [...lots, ...(backward ? outflows : [])].reduce(
    (earliest, { blockTime }) => Math.min(earliest, blockTime),
    lots.length === 0 ? asked : Number.POSITIVE_INFINITY,
  );
  return (span.beginsChain || first >= span.fromUnixSeconds) && (backward || first <= span.toUnixSeconds);
};

const backfilled = (
  { request: { chain }, asset, backfills }: FollowContext,
  { wallet }: FollowedWallet,
  span: ContiguousRange | null,
): Known => {
  const read = backfills.lastBackfill(chain.name, wallet);
  const isContinued =
    span === null || span.beginsChain || span.fromUnixSeconds <= (read?.readAtUnixSeconds ?? 0);
  if (read === null || !isContinued) return backfills.canBackfill(chain.name) ? 'unread' : 'part';
  const isAll = read.missing === 'nothing' || (read.missing === 'coin' && asset.canonicalAsset !== NATIVE);
  return isAll ? 'whole' : 'part';
};
