import { ASSET_PARAMS } from './asset-facts.ts';
import { COIN_PRICES } from './coin-prices.ts';
import { type Derivation, derive } from './derivation.ts';
import { TRADE_RULES } from './market-trades.ts';
import { PEG_BREAKS } from './peg-breaks.ts';
import { TOKEN_PRICES } from './token-prices.ts';
import { AROUND, findTouchedHours } from './touched-hours.ts';

/** In order: the prices of tokens rest on those of coins, and all of them on pegs. */
const STATEMENTS = [PEG_BREAKS, COIN_PRICES, TOKEN_PRICES];

export const prices: Derivation = {
  name: 'prices',
  rules: [TRADE_RULES, AROUND, STATEMENTS],
  tables: ['prices'],
  run: async (run) => {
    if (!(await findTouchedHours(run))) return;
    for (const statement of STATEMENTS) await derive(run, statement, ASSET_PARAMS);
  },
};
