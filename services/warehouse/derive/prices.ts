import { ASSET_PARAMS } from './asset-facts.ts';
import { COIN_PRICES } from './coin-prices.ts';
import { type Derivation, derive } from './derivation.ts';
import { PEG_BREAKS } from './peg-breaks.ts';
import { TOKEN_PRICES } from './token-prices.ts';
import { findTouchedHours } from './touched-hours.ts';

/** In order: the prices of tokens rest on those of coins, and all of them on pegs. */
export const prices: Derivation = {
  name: 'prices',
  run: async (run) => {
    if (!(await findTouchedHours(run))) return;
    for (const statement of [PEG_BREAKS, COIN_PRICES, TOKEN_PRICES])
      await derive(run, statement, ASSET_PARAMS);
  },
};
