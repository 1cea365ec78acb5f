import { sumOf } from '../model/amount.ts';
import { type History, walletHistory } from '../model/history-coverage.ts';
import { knownSince, reachesIndex } from '../model/known-since.ts';
import { NATIVE } from '../model/movement.ts';
import type { ContiguousRange, TransactionPosition } from '../model/transfer-reader.ts';
import type { FollowContext, FollowedWallet } from './follow-context.ts';
import { type Outflow, sumByTransaction } from './payments/inflow.ts';
import { readOnward } from './read-onward.ts';
import type { Rest } from './rest.ts';
import type { FollowRequest } from './trail.ts';

/** What the tables hold of a wallet. */
export type WalletCoverage = {
  /** Since the money arrived, which is what a trail needs; backward, just before it left. */
  readonly sinceInflow: History;
  /** From its first transaction on. */
  readonly lifetime: History;
  /**
   * Whether all that the money's way is told by was read. Where more left than had arrived, the wallet's earlier receipts
   * decide whose it was; backward what is missing of an amount came before, and of a start without an amount all that ever came is followed.
   */
  readonly isAllRead: boolean;
  /** What to read next where the wallet is unread; null: all of it. */
  readonly rest: Rest | null;
};

/**
 * Missing rows are no evidence of absence. A wallet is known where its blocks are indexed without a gap, or where its history was
 * read by itself and blocks are indexed from then on. `outflows` is what was found to have left.
 */
export const walletCoverage = async (
  context: FollowContext,
  current: FollowedWallet,
  outflows: readonly Outflow[],
): Promise<WalletCoverage> => {
  const span = await context.span;
  const { request } = context;
  const asset = context.asset.canonicalAsset === NATIVE ? 'coin' : 'token';
  // What was read of the wallet alone also counts after the newest block.
  const indexed = span?.beginsChain ? null : span;
  const own = { chain: request.chain, wallet: current.wallet };
  const aside = walletHistory(own, indexed, context.backfills, asset);
  const isPassedOn = hasPassedOn(request, current, outflows);
  const isSinceKnown =
    isIndexed(request, current, outflows, span) || isPassedOn || isReadSince(context, current, span);
  const onward = isSinceKnown || aside !== 'part' ? null : readOnward(context, current, outflows, span);
  const sinceInflow = isSinceKnown ? 'whole' : (onward?.known ?? aside);
  const lifetime = span?.beginsChain ? 'whole' : aside;
  const needsBefore = !isPassedOn && restsOnEarlier(request, current, outflows);
  const isAllRead = (needsBefore ? lifetime : sinceInflow) === 'whole';
  return { sinceInflow, lifetime, isAllRead, rest: onward?.rest ?? null };
};

/** Whether more left than had arrived: then earlier receipts decide whose it was. Otherwise what arrived is held to have left. */
const restsOnEarlier = (
  { backward }: FollowRequest,
  { stake: { lots } }: FollowedWallet,
  outflows: readonly Outflow[],
): boolean => {
  if (lots.length === 0) return backward;
  const [moved, arrived] = [sumOf(outflows), sumOf(lots)];
  if (backward) return moved < arrived;
  return moved > arrived;
};

/** Transactions are read whole, so what left in the one that brought it needs no history: routers do nothing else. */
const hasPassedOn = (
  { backward }: FollowRequest,
  { stake: { lots } }: FollowedWallet,
  outflows: readonly Outflow[],
): boolean => {
  if (backward || lots.length === 0) return false;
  const left = sumByTransaction(outflows);
  const arrived = sumByTransaction(lots);
  return (
    [...arrived].every(([key, amountRaw]) => (left.get(key) ?? 0n) >= amountRaw) && left.size === arrived.size
  );
};

/** Whether windows that were read from the chain hold all since the money came, up to where blocks are indexed. */
const isReadSince = (
  { request, asset, backfills }: FollowContext,
  { wallet, stake: { lots } }: FollowedWallet,
  span: ContiguousRange | null,
): boolean => {
  if (request.backward || lots.length === 0) return false;
  const first = Math.min(...lots.map(({ blockNumber }) => blockNumber));
  const windows = backfills.windows?.(request.chain.name, wallet) ?? [];
  const known = knownSince(windows, { first, asset: asset.canonicalAsset, side: 'out' });
  return known !== null && reachesIndex(known, span);
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
