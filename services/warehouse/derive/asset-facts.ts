import { CHAINS } from '../../investigate/model/chain.ts';
import { KNOWN_ASSETS } from '../../investigate/model/known-assets.ts';

const STABLECOINS = KNOWN_ASSETS.filter(({ stablecoin }) => stablecoin);
const COINS = CHAINS.map(({ name, native }) => ({ chain: name, asset: 'native', decimals: native.decimals }));
const FACTS = [...COINS, ...KNOWN_ASSETS];

/** Assets that the code knows, as parameters of statements with `isPegged` and `TRADED_DECIMALS`. */
export const ASSET_PARAMS = {
  pegged_chains: STABLECOINS.map(({ chain }) => chain),
  pegged: STABLECOINS.map(({ asset }) => asset),
  known_chains: FACTS.map(({ chain }) => chain),
  known: FACTS.map(({ asset }) => asset),
  known_decimals: FACTS.map(({ decimals }) => decimals),
};

/**
 * Whether a column of assets names a listed stablecoin of its chain. A symbol proves nothing: any token can call
 * itself USDC.
 */
export const isAmong = (list: 'pegged' | 'worth', asset: string): string =>
  `(toString(chain), toString(${asset})) IN (SELECT pair.1, pair.2 FROM
    (SELECT arrayJoin(arrayZip({${list}_chains:Array(String)}, {${list}:Array(String)})) AS pair))`;

/** Whether a column of assets names a listed stablecoin of its chain. A symbol says nothing: anybody can call a token USDC. */
export const isPegged = (asset: string): string => isAmong('pegged', asset);
