import { toCanonicalAsset } from '../../model/asset.ts';
import { receiptIssuer } from '../../model/receipt-tokens.ts';
import { type SwapFlow, transactionKey } from '../../model/transfer-reader.ts';
import type { FollowContext } from '../follow-context.ts';
import { readTransactions } from '../read-transactions.ts';

/** Transactions of one wallet that are looked at, the largest first. */
const POSITIONS_MAX = 100;

type Asked = Pick<FollowContext, 'request' | 'asset' | 'reads'>;
type Swapped = Pick<
  SwapFlow,
  'blockTime' | 'blockNumber' | 'txIndex' | 'amountRaw' | 'otherAsset' | 'through'
>;

/**
 * Which of these swaps were deposits: what came back is a receipt that its issuer pays back. The receipt is listed, or a contract took
 * the money and issued its own token for it in the same transaction, as lenders, vaults and pools do. One query, none where every swap
 * was with somebody who held what he gave.
 */
export const findPositions = async <Of extends Swapped>(
  { request: { chain, backward }, asset: { canonicalAsset }, reads }: Asked,
  swaps: readonly Of[],
): Promise<ReadonlySet<Of>> => {
  if (backward) return new Set();
  const listed = swaps.filter(({ otherAsset }) => receiptIssuer(chain, otherAsset) !== null);
  const asked = swaps
    .filter((swap) => !listed.includes(swap) && chain.family === 'evm')
    .filter(({ otherAsset }) => toCanonicalAsset(chain, otherAsset) === otherAsset)
    .filter(({ through, otherAsset }) => through === null || through === otherAsset)
    .toSorted((a, b) => (a.amountRaw > b.amountRaw ? -1 : 1))
    .slice(0, POSITIONS_MAX);
  if (asked.length === 0) return new Set(listed);
  const { rows } = await readTransactions(chain, asked, reads);
  const isTaken = (swap: Of): boolean =>
    (rows.get(transactionKey(swap)) ?? []).some(
      (row) => row.to === swap.otherAsset && row.canonicalAsset === canonicalAsset,
    );
  return new Set([...listed, ...asked.filter(isTaken)]);
};
