import type { AssetFamily } from '../model/asset.ts';
import { knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import { COIN_AT_LEAST_RAW, DOLLARS_AT_LEAST } from './rules.ts';

/** Whether so much of the coin or a stablecoin pays nobody anything. `amountRaw` in raw units. */
export const isDust = (chain: Chain, family: AssetFamily, amountRaw: bigint): boolean =>
  amountRaw <
  (family === NATIVE
    ? (COIN_AT_LEAST_RAW[chain.native.symbol] ?? 0n)
    : DOLLARS_AT_LEAST * 10n ** BigInt(knownDecimals(chain, family) ?? 0));
