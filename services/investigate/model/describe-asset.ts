import { type Asset, assetSymbol, isStablecoin, knownDecimals, toCanonicalAsset } from './asset.ts';
import { CHAINS, type Chain } from './chain.ts';
import { KNOWN_ASSETS } from './known-assets.ts';
import { NATIVE } from './movement.ts';

export type AssetFacts = {
  /** null when no trustworthy source names it. */
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** The asset that one unit can be exchanged for at any time; null when it is not a wrapped form. */
  readonly wrappedOf: Asset | null;
  /** The dollar value that one unit is pegged to; null when it has no peg. */
  readonly peg: 'USD' | null;
};

/** Facts from blocks and from the token's own contract. */
export type AssetClaim = { readonly symbol: string | null; readonly decimals: number | null };

/**
 * Describes an asset from the list of known assets first, then from the token's own data as far as that can
 * be trusted.
 */
export const describeAsset = (chain: Chain, asset: Asset, claim: AssetClaim): AssetFacts => {
  const canonicalAsset = toCanonicalAsset(chain, asset);
  const isWrapped = asset === chain.wrappedNative;
  const listed = isWrapped ? `W${chain.native.symbol}` : assetSymbol(chain, canonicalAsset);
  return {
    symbol: listed ?? honestSymbol(claim.symbol),
    decimals: knownDecimals(chain, canonicalAsset) ?? claim.decimals,
    wrappedOf: isWrapped ? NATIVE : null,
    peg: isStablecoin(chain, asset) ? 'USD' : null,
  };
};

/** Fake tokens and advertisements use look-alike letters, spaces and web addresses. */
const PLAIN_SYMBOL = /^[A-Za-z0-9$+_-]{1,20}$/;

const bare = (symbol: string): string => symbol.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

const TAKEN = new Set(
  [
    ...KNOWN_ASSETS.map(({ symbol }) => symbol),
    ...CHAINS.flatMap(({ native }) => [native.symbol, `W${native.symbol}`]),
  ].map(bare),
);

/** The token's own name, unless a listed asset has that name, because then the token imitates it. */
const honestSymbol = (claimed: string | null): string | null =>
  claimed !== null && PLAIN_SYMBOL.test(claimed) && !TAKEN.has(bare(claimed)) ? claimed : null;
