import type { CanonicalAsset } from '../model/asset.ts';
import { knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import { COIN_AT_LEAST_RAW, DOLLARS_AT_LEAST, STRAY_PARTS } from './rules.ts';
import type { Holding } from './trace-answer.ts';

/**
 * Whether an amount of the coin or a stablecoin is too small to pay for anything. `amountRaw` in raw units.
 */
export const isDust = (chain: Chain, canonicalAsset: CanonicalAsset, amountRaw: bigint): boolean =>
  amountRaw < dustBelowRaw(chain, canonicalAsset);

/** The smallest amount of a real payment, in raw units. */
export const dustBelowRaw = (chain: Chain, canonicalAsset: CanonicalAsset): bigint =>
  canonicalAsset === NATIVE
    ? (COIN_AT_LEAST_RAW[chain.native.symbol] ?? 0n)
    : DOLLARS_AT_LEAST * 10n ** BigInt(knownDecimals(chain, canonicalAsset) ?? 0);

/** Whether an amount is so small beside the usual one that it does not show what the wallet is for. */
export const isStray = (amountRaw: bigint, usualRaw: bigint): boolean => amountRaw < strayBelowRaw(usualRaw);

export const strayBelowRaw = (usualRaw: bigint): bigint => (usualRaw + STRAY_PARTS - 1n) / STRAY_PARTS;

/** For each asset the smallest amount, in raw units, that is neither dust nor a stray beside what moved. */
export const leastInEarnest = (
  chain: Chain,
  canonicalAssets: readonly CanonicalAsset[],
  moved: readonly Holding[],
): bigint[] =>
  canonicalAssets.map((canonicalAsset) => {
    const usual = moved.find((holding) => holding.canonicalAsset === canonicalAsset);
    const strayRaw = strayBelowRaw(usual?.amountRaw ?? 0n);
    return isDust(chain, canonicalAsset, strayRaw) ? dustBelowRaw(chain, canonicalAsset) : strayRaw;
  });
