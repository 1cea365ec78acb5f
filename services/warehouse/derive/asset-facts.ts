import { CHAINS } from '../../investigate/model/chain.ts';
import { KNOWN_ASSETS } from '../../investigate/model/known-assets.ts';

const STABLECOINS = KNOWN_ASSETS.filter(({ stablecoin }) => stablecoin);
const COINS = CHAINS.map(({ name, native }) => ({ chain: name, asset: 'native', decimals: native.decimals }));
const FACTS = [...COINS, ...KNOWN_ASSETS];

/** What the code knows of assets, for the statements that name it: `isPegged` and `DECIMALS`. */
export const ASSET_PARAMS = {
  pegged_chains: STABLECOINS.map(({ chain }) => chain),
  pegged: STABLECOINS.map(({ asset }) => asset),
  known_chains: FACTS.map(({ chain }) => chain),
  known: FACTS.map(({ asset }) => asset),
  known_decimals: FACTS.map(({ decimals }) => decimals),
};

/** Whether a column of assets names one of a list that is bound as two arrays. A set: an array is searched from its front. */
export const isAmong = (list: 'pegged' | 'worth', asset: string): string =>
  `(toString(chain), toString(${asset})) IN (SELECT pair.1, pair.2 FROM
    (SELECT arrayJoin(arrayZip({${list}_chains:Array(String)}, {${list}:Array(String)})) AS pair))`;

/** Whether a column of assets names a listed stablecoin of its chain. A symbol says nothing: anybody can call a token USDC. */
export const isPegged = (asset: string): string => isAmong('pegged', asset);

/** Decimals of every asset of which a list, a block or the token itself says them, to be joined by chain and asset. */
export const DECIMALS = `
  SELECT chain, asset, max(decimals) AS decimals FROM
  (
    SELECT toString(chain) AS chain, asset, decimals FROM assets
    UNION ALL
    SELECT toString(chain), asset, decimals FROM asset_claims FINAL
    WHERE decimals >= 0 AND (chain, asset) NOT IN (SELECT chain, asset FROM assets)
    UNION ALL
    SELECT fact.1 AS chain, fact.2 AS asset, fact.3 AS decimals FROM
      (SELECT arrayJoin(arrayZip({known_chains:Array(String)}, {known:Array(String)}, {known_decimals:Array(Int32)})) AS fact)
  )
  GROUP BY chain, asset`;
