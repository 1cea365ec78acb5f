import { assetSymbol, type CanonicalAsset } from './asset.ts';
import type { Chain } from './chain.ts';
import { NATIVE } from './movement.ts';

/**
 * Dollars whose issuer can freeze a holder's balance, by the contracts of the issuer itself:
 * - USDC: https://github.com/circlefin/stablecoin-evm (`Blacklistable.sol`), on Solana the mint's freeze authority
 * - USDT: https://tether.to/en/supported-protocols (`TetherToken.sol`, `WithBlockedList.sol`), on Solana the mint's freeze authority
 * - PYUSD: https://developer.paypal.com/community/blog/pyusd-on-solana/
 * Forms that a bridge issued are not among them.
 */
const CAN: ReadonlySet<string> = new Set([
  ...['solana', 'ethereum', 'base', 'arbitrum', 'optimism', 'polygon'].map((chain) => `${chain}:USDC`),
  ...['solana', 'ethereum', 'arbitrum'].map((chain) => `${chain}:USDT`),
  'solana:PYUSD',
]);

/** https://github.com/makerdao/dss/blob/master/src/dai.sol has no such function. */
const CANNOT: ReadonlySet<string> = new Set(['ethereum:DAI']);

/** Whether somebody can stop a holder from moving it; null where that is not known. */
export const canFreeze = (chain: Chain, canonicalAsset: CanonicalAsset): boolean | null => {
  if (canonicalAsset === NATIVE) return false;
  const name = `${chain.name}:${assetSymbol(chain, canonicalAsset)}`;
  if (CAN.has(name)) return true;
  return CANNOT.has(name) ? false : null;
};
