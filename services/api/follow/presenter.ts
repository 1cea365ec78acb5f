import type { Branch, FarSide, Hop, SwapOutput, Trail, TrailEnd } from '../../investigate/follow/trail.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import type { Label } from '../../investigate/model/label.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { BEING_READ } from '../being-read.ts';

/** The answer of POST /follow in the specification's words. Here, and nowhere before, amounts become floats. */
export const presentTrail = (trail: Trail, { isBeingRead }: { isBeingRead: boolean }) => {
  const { chain, asset, backward, span } = trail;
  const address = (raw: string): string => presentAddress(chain, raw);
  const amount = (raw: bigint): number => toWholeUnits(raw, asset.decimals);

  /** Money goes from payer to payee whichever way it is followed; what is labelled is the wallet the trail goes to. */
  const presentNext = ({ to, toLabel }: Pick<Branch, 'to' | 'toLabel'>) =>
    backward
      ? { from: address(to), from_label: presentLabel(toLabel) }
      : { to: address(to), to_label: presentLabel(toLabel) };
  const presentBranch = (branch: Branch) => ({
    [backward ? 'to' : 'from']: address(branch.from),
    ...presentNext(branch),
    amount: amount(branch.amountRaw),
    usd: branch.usd,
    usd_source: branch.usdSource,
    signature: branch.signature,
    [backward ? 'until' : 'since']: branch.sinceUnixSeconds,
  });
  const presentHop = (hop: Hop) => ({
    [backward ? 'to' : 'from']: address(hop.from),
    ...presentNext(hop),
    amount: amount(hop.amountRaw),
    usd: hop.usd,
    usd_source: hop.usdSource,
    symbol: asset.symbol,
    signature: hop.signature,
    time: hop.timeUnixSeconds,
    share: hop.share,
    through: hop.through.map(({ address: passed, label }) => ({
      address: address(passed),
      label: presentLabel(label),
    })),
    others: hop.others.map(presentBranch),
  });
  const presentTo = (far: Chain, raw: string): string => (raw === NATIVE ? NATIVE : presentAddress(far, raw));
  // `address` of an output is what the caller sends back as `asset` to go on: `native` for the coin.
  const presentOutput = ({ symbol, asset: raw, decimals }: SwapOutput) => ({
    symbol,
    address: presentTo(chain, raw),
    decimals,
  });
  /** With `chain`, `address`, `asset.address`, `since` (`until`) and `amount` the caller goes on behind a bridge. */
  const presentFarSide = ({ chain: far, asset: paid, ...side }: FarSide) => ({
    chain: far.name,
    address: presentAddress(far, side.address),
    asset: { symbol: paid.symbol, address: presentTo(far, paid.asset), decimals: paid.decimals },
    amount: toWholeUnits(side.amountRaw, paid.decimals),
    signature: side.signature,
    [backward ? 'until' : 'since']: side.timeUnixSeconds,
    by: side.by,
    confidence: side.confidence,
  });
  const presentOutputOf = (end: TrailEnd) => {
    if (end.reason === 'dex_swap')
      return end.output && { ...presentOutput(end.output), recipient: address(end.address) };
    return end.reason === 'bridge' && end.output !== null ? presentFarSide(end.output) : null;
  };
  const presentEnd = (end: TrailEnd) => ({
    reason: end.reason,
    address: address(end.address),
    detail: isBeingRead ? `${end.detail} ${BEING_READ}` : end.detail,
    holding: end.reason === 'at_rest' && end.holdingRaw !== null ? amount(end.holdingRaw) : null,
    branches: end.reason === 'split' ? end.branches.map(presentBranch) : [],
    output: presentOutputOf(end),
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
    meta: {
      chain: chain.name,
      // Where knowledge ends, more is on its way.
      scope: isBeingRead ? 'partial' : scopeOf(trail),
      data_from: span?.fromUnixSeconds ?? null,
      data_to: span?.toUnixSeconds ?? null,
    },
  };
};

const presentLabel = (label: Label | null) => label && { name: label.name, kind: label.kind };

const scopeOf = ({ hops, end, isWhole }: Trail): 'full' | 'partial' | 'no_data' => {
  if (end.reason === 'no_data') return hops.length === 0 ? 'no_data' : 'partial';
  return isWhole ? 'full' : 'partial';
};
