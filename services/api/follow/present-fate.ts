import type { Fate } from '../../investigate/follow/fates/fate.ts';
import type { ShownPosition } from '../../investigate/follow/trail.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import type { CanonicalAsset } from '../../investigate/model/asset.ts';
import { canFreeze } from '../../investigate/model/can-freeze.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import type { ShownAsset } from '../../investigate/model/value-amounts.ts';

type OfAsset = {
  readonly chain: Chain;
  readonly asset: Pick<ShownAsset, 'decimals'> & { canonicalAsset: CanonicalAsset };
};

export const presentFreeze = ({ chain, asset }: OfAsset, { freeze, isFreezeKnown }: Fate) => ({
  frozen: freeze && {
    signature: freeze.signature,
    time: freeze.timeUnixSeconds,
    block: freeze.blockNumber,
    by: freeze.by && presentAddress(chain, freeze.by),
  },
  frozen_known: isFreezeKnown,
  can_freeze: canFreeze(chain, asset.canonicalAsset),
});

export const presentPosition = (
  { chain, asset }: OfAsset,
  { receipt, signatures: [deposited, paidBack], amountRaw, timeUnixSeconds }: ShownPosition,
) => ({
  token: presentAddress(chain, receipt),
  deposited,
  paid_back: paidBack,
  amount: toWholeUnits(amountRaw, asset.decimals),
  amount_raw: String(amountRaw),
  time: timeUnixSeconds,
});
