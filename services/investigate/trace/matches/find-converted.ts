import { fromWholeUnits } from '../../model/amount.ts';
import { type CanonicalAsset, knownDecimals } from '../../model/asset.ts';
import type { AmountRange } from '../../model/trace-reader.ts';
import { wholeUnits } from '../amounts.ts';
import { priceAssets } from '../price-assets.ts';
import type { QueryContext } from '../query-context.ts';
import { PRICE_DRIFT_SHARE, PRICE_ERROR_SHARE, TRANSFERS_MAX } from '../rules.ts';
import type { MatchesRead, MatchingTransfer, Search } from '../search.ts';
import { chooseFeeModel, type FeeModel } from './fee-model.ts';
import { readOtherSide } from './read-other-side.ts';

const MILLION = 1_000_000;

/** `isPriced` is false when prices needed to compare transfers are unknown. */
export type ConvertedRead = MatchesRead & { readonly isPriced: boolean };

/**
 * Finds what an instant swapper may have paid for the anchor: transfers of other assets with the anchor's
 * value less the swapper's share, each at the prices of its own time. After Yousaf et al. 2019, "Tracing
 * Transactions Across Cryptocurrency Ledgers", who match both sides of a ShapeShift order by value and time.
 * Finds nothing when prices are unknown.
 */
export const readConverted = async (search: Search, context: QueryContext): Promise<ConvertedRead> => {
  const [moved] = search.anchor.moved;
  if (moved === undefined) return { rows: [], complete: true, isPriced: true };
  const others = context.canonicalAssets.filter((canonicalAsset) =>
    search.anchor.moved.every((holding) => holding.canonicalAsset !== canonicalAsset),
  );
  const [worth = null, ...prices] = await priceAssets([moved.canonicalAsset, ...others], search, context);
  if (worth === null) return { rows: [], complete: true, isPriced: false };
  const movedUsd = worth * wholeUnits(search.request.chain, moved);
  const rows: MatchingTransfer[] = [];
  let complete = true;
  let isPriced = true;
  for (const [index, canonicalAsset] of others.entries()) {
    const usd = prices[index] ?? null;
    isPriced &&= usd !== null;
    if (usd === null) continue;
    const amounts = toRange(search, { canonicalAsset, amount: movedUsd / usd });
    const read = await readOtherSide(search, { ...amounts, canonicalAsset, limit: TRANSFERS_MAX }, context);
    complete &&= read.length < TRANSFERS_MAX;
    rows.push(...read.map((row) => ({ ...row, canonicalAsset, mode: 'swap' as const })));
  }
  const equal = await keepEqualWorth(search, { rows, movedUsd }, context);
  return { rows: equal.rows, complete, isPriced: isPriced && equal.isPriced };
};

const modelOf = ({ request, intermediary }: Search, canonicalAsset: CanonicalAsset): FeeModel =>
  chooseFeeModel(request.chain, { entity: intermediary.entity, mode: 'swap', canonicalAsset });

/** The ratio of payout to deposit: with the largest charge, and without any. */
const shareBounds = ({ sharePpm }: FeeModel, slack: number) => ({
  least: (1 - Number(sharePpm[1]) / MILLION) * (1 - slack),
  most: (1 - Number(sharePpm[0]) / MILLION) * (1 + slack),
});

/** At the anchor's own prices, with a margin for price moves within the window. */
const toRange = (
  search: Search,
  { canonicalAsset, amount }: { canonicalAsset: CanonicalAsset; amount: number },
): AmountRange => {
  const { least, most } = shareBounds(modelOf(search, canonicalAsset), PRICE_DRIFT_SHARE);
  const isForward = search.request.direction === 'out';
  const decimals = knownDecimals(search.request.chain, canonicalAsset) ?? 0;
  return {
    minRaw: fromWholeUnits(isForward ? amount * least : amount / most, decimals),
    maxRaw: fromWholeUnits(isForward ? amount * most : amount / least, decimals),
  };
};

const keepEqualWorth = async (
  search: Search,
  { rows, movedUsd }: { rows: readonly MatchingTransfer[]; movedUsd: number },
  { reads }: QueryContext,
): Promise<Omit<ConvertedRead, 'complete'>> => {
  const moments = rows.map(({ canonicalAsset, blockTime }) => ({
    canonicalAsset,
    timeUnixSeconds: blockTime,
  }));
  const known = await reads.prices({ chain: search.request.chain }, moments);
  const isForward = search.request.direction === 'out';
  const equal = rows.filter((row, index) => {
    const usd = (known[index]?.usd ?? Number.NaN) * wholeUnits(search.request.chain, row);
    const share = isForward ? usd / movedUsd : movedUsd / usd;
    const { least, most } = shareBounds(modelOf(search, row.canonicalAsset), PRICE_ERROR_SHARE);
    return share >= least && share <= most;
  });
  return { rows: equal, isPriced: known.every((price) => price !== null) };
};
