import { type History, walletHistory } from '../model/history-coverage.ts';
import { NATIVE } from '../model/movement.ts';
import type { ContiguousRange, TransactionPosition } from '../model/transfer-reader.ts';
import type { FollowContext, FollowedWallet } from './follow-context.ts';
import type { FollowRequest } from './trail.ts';

/** What the tables hold of a wallet. */
export type WalletCoverage = {
  /** Since the money arrived, which is what a trail needs; backward, just before it left. */
  readonly sinceInflow: History;
  /** From its first transaction on. */
  readonly lifetime: History;
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
  const asset = context.asset.canonicalAsset === NATIVE ? 'coin' : 'token';
  // What was read of the wallet alone also counts after the newest block.
  const indexed = span?.beginsChain ? null : span;
  const own = { chain: request.chain, wallet: current.wallet };
  const aside = walletHistory(own, indexed, context.backfills, asset);
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
