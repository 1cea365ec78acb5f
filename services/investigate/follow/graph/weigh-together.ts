import type { AssetReader } from '../../model/asset-reader.ts';
import type { Chain } from '../../model/chain.ts';
import type { AssetFacts } from '../../model/describe-asset.ts';
import type { Moment, Price, PriceReader } from '../../model/price-reader.ts';
import { askTogether } from './ask-together.ts';

type Readers = { readonly prices: PriceReader; readonly assets: AssetReader };

/** Readers that ask as one question for what several wallets of one chain wait for at the same time. */
export const weighTogether = (chain: Chain, { prices, assets }: Readers): Readers => {
  const priceOf = askTogether<Moment, Price | null>((moments, limits) =>
    prices.prices({ chain, moments, ...limits }),
  );
  const factsOf = askTogether<string, AssetFacts>((asked, limits) =>
    assets.assets({ chain, assets: asked, ...limits }),
  );
  return {
    prices: { prices: ({ moments, ...limits }) => Promise.all(moments.map((one) => priceOf(one, limits))) },
    assets: {
      // Behind a bridge it is another chain.
      assets: (asked) =>
        asked.chain === chain
          ? Promise.all(asked.assets.map((one) => factsOf(one, asked)))
          : assets.assets(asked),
    },
  };
};
