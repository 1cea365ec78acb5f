import { type Asset, assetSymbol, isStablecoin, knownDecimals, toCanonicalAsset } from './asset.ts';
import { CHAINS, type Chain } from './chain.ts';
import { KNOWN_ASSETS } from './known-assets.ts';
import { NATIVE } from './movement.ts';

export type AssetFacts = {
  /** null where nothing trustworthy names it. */
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** The asset that one unit of it can be exchanged for at any time; null where it is not a wrapped form. */
  readonly wrappedOf: Asset | null;
  /** What one unit is held to be worth; null where it follows nothing. */
  readonly peg: 'USD' | null;
};

/** What blocks and the token's own contract say. */
export type AssetClaim = { readonly symbol: string | null; readonly decimals: number | null };

/** The list of known assets first, then the asset's own word, as far as it can be trusted. */
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

/** Letters that look like others, spaces and addresses of pages are what fakes and advertisements are made of. */
const PLAIN_SYMBOL = /^[A-Za-z0-9$+_-]{1,20}$/;

const bare = (symbol: string): string => symbol.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

const TAKEN = new Set(
  [
    ...KNOWN_ASSETS.map(({ symbol }) => symbol),
    ...CHAINS.flatMap(({ native }) => [native.symbol, `W${native.symbol}`]),
  ].map(bare),
);

/** A token's own name, unless a listed asset has that name: then the token imitates it. */
const honestSymbol = (claimed: string | null): string | null =>
  claimed !== null && PLAIN_SYMBOL.test(claimed) && !TAKEN.has(bare(claimed)) ? claimed : null;
