import type { Branch, Hop, SwapOutput, Trail, TrailEnd } from '../../investigate/follow/trail.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import { isStablecoin } from '../../investigate/model/asset.ts';
import { NATIVE } from '../../investigate/model/movement.ts';

/** The answer of POST /follow in the specification's words. Here, and nowhere before, amounts become floats. */
export const presentTrail = (trail: Trail) => {
  const { chain, asset } = trail;
  const address = (raw: string): string => presentAddress(chain, raw);
  const amount = (raw: bigint): number => toWholeUnits(raw, asset.decimals);
  /** Known for stablecoins, which are held to be worth their dollar; null for everything else until prices are known. */
  const usd = (raw: bigint): number | null => (isStablecoin(chain, asset.family) ? amount(raw) : null);

  const presentHop = (hop: Hop) => ({
    from: address(hop.from),
    to: address(hop.to),
    amount: amount(hop.amountRaw),
    usd: usd(hop.amountRaw),
    symbol: asset.symbol,
    signature: hop.signature,
    time: hop.timeUnixSeconds,
    share: hop.share,
    to_label: hop.toLabel,
  });
  const presentBranch = (branch: Branch) => ({
    to: address(branch.to),
    amount: amount(branch.amountRaw),
    usd: usd(branch.amountRaw),
    signature: branch.signature,
    to_label: branch.toLabel,
  });
  // `address` of an output is what the caller sends back as `asset` to go on: `native` for the coin.
  const presentOutput = ({ symbol, asset: raw, decimals }: SwapOutput) => ({
    symbol,
    address: raw === NATIVE ? NATIVE : address(raw),
    decimals,
  });
  const presentEnd = (end: TrailEnd) => ({
    reason: end.reason,
    address: address(end.address),
    detail: end.detail,
    holding: end.reason === 'at_rest' && end.holdingRaw !== null ? amount(end.holdingRaw) : null,
    branches: end.reason === 'split' ? end.branches.map(presentBranch) : [],
    output: end.reason === 'dex_swap' ? presentOutput(end.output) : null,
    signature: end.reason === 'dex_swap' ? end.signature : null,
    time: end.reason === 'dex_swap' ? end.timeUnixSeconds : null,
  });
  return {
    chain: chain.name,
    start: address(trail.start),
    asset: {
      symbol: asset.symbol,
      address: asset.family === NATIVE ? null : address(asset.family),
      decimals: asset.decimals,
    },
    hops: trail.hops.map(presentHop),
    end: presentEnd(trail.end),
  };
};
