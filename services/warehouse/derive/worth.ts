import { CHAINS } from '../../investigate/model/chain.ts';
import { KNOWN_ASSETS, type KnownAsset } from '../../investigate/model/known-assets.ts';
import { isAmong } from './asset-facts.ts';

/**
 * The order of magnitude of one unit in dollars, to tell money from dust. Never shown and never used as a
 * price.
 */
const ABOUT: readonly (readonly [dollars: number, symbols: readonly string[]])[] = [
  [100_000, ['WBTC', 'cbBTC', 'BTCB']],
  [2_000, ['ETH', 'WETH', 'cbETH', 'stETH', 'wstETH', 'rETH', 'MKR']],
  [500, ['BNB']],
  [100, ['SOL', 'AAVE']],
  [50, ['COMP']],
  [10, ['LINK', 'UNI']],
  [2, ['CAKE']],
  [0.5, ['POL', 'LDO', 'ARB', 'OP', 'CRV']],
  [0.00001, ['SHIB', 'PEPE']],
];
const DOLLARS = new Map(ABOUT.flatMap(([dollars, symbols]) => symbols.map((symbol) => [symbol, dollars])));

/** null when the symbol is unknown. */
export const dollarsOf = ({
  symbol,
  stablecoin,
}: Pick<KnownAsset, 'symbol' | 'stablecoin'>): number | null =>
  stablecoin ? 1 : (DOLLARS.get(symbol) ?? null);

const COINS = CHAINS.map(({ name, native }) => ({
  chain: name,
  asset: 'native',
  stablecoin: false,
  ...native,
}));
const ASSETS = [...COINS, ...KNOWN_ASSETS];

/**
 * Coins and listed tokens, for `isOfWorth` and `aboutDollars`. Any other token can be created, sent, and on
 * most chains logged or moved from any address, at no cost.
 */
export const WORTH_PARAMS = {
  worth_chains: ASSETS.map(({ chain }) => chain),
  worth: ASSETS.map(({ asset }) => asset),
  evm: CHAINS.filter(({ family }) => family === 'evm').map(({ name }) => name),
  worth_names: ASSETS.map(({ chain, asset }) => `${chain} ${asset}`),
  dollars: ASSETS.map((asset) => (dollarsOf(asset) ?? 1) / 10 ** asset.decimals),
};

export const isOfWorth = (asset: string): string => isAmong('worth', asset);

/** The approximate value of a raw amount; 0 for worthless assets. */
export const aboutDollars = (amount: string, asset: string): string =>
  `toFloat64(${amount}) * transform(concat(toString(chain), ' ', toString(${asset})), {worth_names:Array(String)}, {dollars:Array(Float64)}, 0.)`;

/**
 * Whether a payment out of an address was certainly its own: it pays for the transaction, or only its owner
 * can move the asset. Other tokens can have fake logs, or be moved by permanent delegates (Token-2022).
 */
export const isOwnDoing = (isSender: string): string => `(${isSender} OR ${isOfWorth('asset_family')})`;

/** Whether it may be its own: on EVM chains worthless tokens that somebody else moved are no evidence. */
export const mayBeOwnDoing = (isSender: string): string =>
  `(${isOwnDoing(isSender)} OR chain NOT IN {evm:Array(String)})`;
