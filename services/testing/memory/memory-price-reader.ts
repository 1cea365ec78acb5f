import { isStablecoin } from '../../investigate/model/asset.ts';
import { priceAt, type Quote } from '../../investigate/model/price-at.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';

export type AssetQuote = Quote & { readonly chain: string; readonly canonicalAsset: string };

/** The price reader over quotes in memory. Without any it knows stablecoins, by their pegs. */
export const createMemoryPriceReader = (quotes: readonly AssetQuote[] = []): PriceReader => ({
  prices: async ({ chain, ...reach }, moments, { signal }) => {
    if (signal.aborted) throw new ReadFailedError('aborted');
    return moments.map(({ canonicalAsset, timeUnixSeconds }) =>
      priceAt(timeUnixSeconds, {
        ...reach,
        pegged: isStablecoin(chain, canonicalAsset),
        quotes: quotes.filter(
          (quote) => quote.chain === chain.name && quote.canonicalAsset === canonicalAsset,
        ),
      }),
    );
  },
});
