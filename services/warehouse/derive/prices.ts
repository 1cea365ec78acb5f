import { ASSET_PARAMS } from './asset-facts.ts';
import { COIN_PRICES } from './coin-prices.ts';
import { type Derivation, derive, refill } from './derivation.ts';
import { TRADE_RULES } from './market-trades.ts';
import { PEG_BREAKS } from './peg-breaks.ts';
import { TOKEN_PRICES } from './token-prices.ts';
import { AROUND, findTouchedHours } from './touched-hours.ts';

/** In order: token prices depend on coin prices, and both on pegs. */
const PRICES = [COIN_PRICES, TOKEN_PRICES];

export const prices: Derivation = {
  name: 'prices',
  rules: [TRADE_RULES, AROUND, PEG_BREAKS, PRICES],
  tables: ['prices'],
  run: async (run) => {
    if (!(await findTouchedHours(run))) return;
    await derive(run, PEG_BREAKS, ASSET_PARAMS);
    for (const { trades, averages } of PRICES) {
      await refill(run, 'priced_trades', trades, ASSET_PARAMS);
      await derive(run, averages, ASSET_PARAMS);
    }
  },
};
