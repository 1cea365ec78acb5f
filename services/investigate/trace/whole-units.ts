import { toWholeUnits } from '../model/amount.ts';
import { knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import type { Holding } from './trace-answer.ts';

/** How much it is, as people write it. */
export const wholeUnits = (chain: Chain, { canonicalAsset, amountRaw }: Holding): number =>
  toWholeUnits(amountRaw, knownDecimals(chain, canonicalAsset));
