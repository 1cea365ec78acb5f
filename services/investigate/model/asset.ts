import type { Chain } from './chain.ts';
import { KNOWN_ASSETS, type KnownAsset } from './known-assets.ts';
import { NATIVE } from './movement.ts';

/** `native`, or a mint or contract address as tables hold it. */
export type Asset = string;

/**
 * The asset under which wrapped forms are merged: `native` stands for the coin and its wrapped form, any
 * other asset for itself. Tables store it as `asset_family`.
 */
export type CanonicalAsset = string;

const BY_KEY = new Map(KNOWN_ASSETS.map((known) => [`${known.chain}:${known.asset}`, known]));

export const toCanonicalAsset = (chain: Chain, asset: Asset): CanonicalAsset =>
  asset === chain.wrappedNative ? NATIVE : asset;

const findKnown = (chain: Chain, asset: Asset): KnownAsset | undefined =>
  BY_KEY.get(`${chain.name}:${asset}`);

/** The coin, or a token whose contract is known not to write false logs. */
export const isListed = (chain: Chain, canonicalAsset: CanonicalAsset): boolean =>
  canonicalAsset === NATIVE || findKnown(chain, canonicalAsset) !== undefined;

/**
 * Any EVM contract can log a transfer that never happened, from any address. Rows of an unlisted EVM token therefore count only in
 * transactions that the wallet sent. Solana's token programs cannot record a false transfer.
 */
export const isUnverifiedToken = (chain: Chain, canonicalAsset: CanonicalAsset): boolean =>
  chain.family === 'evm' && !isListed(chain, canonicalAsset);

/** All listed assets of a chain. */
export const listedOn = (chain: Chain): readonly CanonicalAsset[] => [
  NATIVE,
  ...KNOWN_ASSETS.filter((known) => known.chain === chain.name).map(({ asset }) =>
    toCanonicalAsset(chain, asset),
  ),
];

export const isStablecoin = (chain: Chain, canonicalAsset: CanonicalAsset): boolean =>
  findKnown(chain, canonicalAsset)?.stablecoin ?? false;

export const stablecoinsOf = (chain: Chain): readonly KnownAsset[] =>
  KNOWN_ASSETS.filter((known) => known.chain === chain.name && known.stablecoin);

/**
 * The listed asset with this symbol, in any case; the wrapped coin counts as the coin. null when no list has
 * it on that chain.
 */
export const findBySymbol = (chain: Chain, text: string): CanonicalAsset | null => {
  const symbol = text.toUpperCase();
  const coin = chain.native.symbol;
  if (symbol === coin || symbol === `W${coin}`) return NATIVE;
  const known = KNOWN_ASSETS.find(
    (asset) => asset.chain === chain.name && asset.symbol.toUpperCase() === symbol,
  );
  return known === undefined ? null : toCanonicalAsset(chain, known.asset);
};

/** null when no trustworthy source names it: fakes give themselves the name of a real token. */
export const assetSymbol = (chain: Chain, canonicalAsset: CanonicalAsset): string | null =>
  canonicalAsset === NATIVE ? chain.native.symbol : (findKnown(chain, canonicalAsset)?.symbol ?? null);

/** Decimals that need no query; null means: ask the reader. */
export const knownDecimals = (chain: Chain, canonicalAsset: CanonicalAsset): number | null =>
  canonicalAsset === NATIVE ? chain.native.decimals : (findKnown(chain, canonicalAsset)?.decimals ?? null);

/** Bridged forms of one issuer's dollar. */
const ISSUED_AS: Readonly<Record<string, string>> = { 'USDC.e': 'USDC', USDbC: 'USDC' };

/**
 * The name of the same asset on every chain: the coin's symbol or the issuer's dollar. null when the lists do
 * not contain it.
 */
export const nameEverywhere = (chain: Chain, canonicalAsset: CanonicalAsset): string | null => {
  const symbol = assetSymbol(chain, canonicalAsset);
  return symbol && (ISSUED_AS[symbol] ?? symbol);
};

/**
 * The same asset on another chain according to the lists: the same coin, or the same issuer's dollar. Usually
 * one or none.
 */
export const formsOn = (
  far: Chain,
  chain: Chain,
  canonicalAsset: CanonicalAsset,
): readonly CanonicalAsset[] => {
  if (canonicalAsset === NATIVE) return far.native.symbol === chain.native.symbol ? [NATIVE] : [];
  const name = nameEverywhere(chain, canonicalAsset);
  if (name === null) return [];
  return stablecoinsOf(far)
    .filter(({ asset }) => nameEverywhere(far, asset) === name)
    .map(({ asset }) => asset);
};
