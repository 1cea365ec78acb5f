import { traceOutput } from '../../investigate/follow/details/trace-amounts.ts';
import { outcomeOfEnd, partsOfEnd } from '../../investigate/follow/fates/end-parts.ts';
import { NOTHING_KNOWN } from '../../investigate/follow/fates/fate.ts';
import {
  type Branch,
  branchesOf,
  type FarSide,
  type Passed,
  type ShownHop,
  type Trail,
  type TrailEnd,
} from '../../investigate/follow/trail.ts';
import type { NamedAsset, SwapOutput } from '../../investigate/follow/why.ts';
import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import type { Label } from '../../investigate/model/label.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { BEING_READ } from '../asking/being-read.ts';
import { type ArePricesPending, presentBasis } from '../present-basis.ts';
import { describeEnd } from './describe-end.ts';
import { nextCall } from './next-call.ts';
import { presentFreeze, presentPosition } from './present-fate.ts';

/** Added if the end does not say it: a wallet of the trail has a past or a gap that is not indexed. */
const READ_IN_PART =
  'Not all that these wallets did is indexed: what is missing may have carried more of the money.';

type Presenting = Parameters<typeof nextCall>[1] & {
  readonly isBeingRead: boolean;
  readonly arePricesPending: ArePricesPending;
};

/** The answer of POST /follow. Only presenters turn amounts into floats. */
export const presentTrail = (trail: Trail, asked: Presenting) => {
  const { isBeingRead, arePricesPending } = asked;
  const told = describeEnd(trail);
  const scope = scopeOf(trail);
  const limits = told.limits ?? (scope === 'partial' ? READ_IN_PART : null);
  const { chain, asset, span } = trail;
  return {
    chain: chain.name,
    start: presentAddress(chain, trail.start),
    start_label: presentLabel(trail.startLabel),
    asset: {
      symbol: asset.symbol,
      address: asset.canonicalAsset === NATIVE ? null : presentAddress(chain, asset.canonicalAsset),
      decimals: asset.decimals,
    },
    hops: trail.hops.map((hop) => presentHop(trail, hop)),
    end: { ...presentEnd(trail, told.detail, isBeingRead), next: nextCall(trail, asked) },
    meta: {
      chain: chain.name,
      // More of it is still being read.
      scope: isBeingRead ? 'partial' : scope,
      detail: isBeingRead ? `${limits ?? ''} ${BEING_READ}`.trim() : limits,
      data_from: span?.fromUnixSeconds ?? null,
      data_to: span?.toUnixSeconds ?? null,
      index_head: span?.toBlock ?? null,
      ...presentBasis(chain, arePricesPending),
    },
  };
};

/** What the parts of a trail are presented with. */
type View = Pick<Trail, 'chain' | 'asset' | 'backward'>;

const SHARE_OF = { chain: 'arrived', caller: 'asked', unknown: 'moved' } as const;

const presentHop = (view: View, hop: ShownHop) => ({
  ...presentSides(view, hop),
  ...presentAmount(view, hop.tracedRaw),
  usd: hop.usd,
  usd_source: hop.usdSource,
  symbol: view.asset.symbol,
  signature: hop.signature,
  time: hop.timeUnixSeconds,
  share: hop.share,
  share_of: SHARE_OF[hop.shareOf],
  // With the sender's own money.
  moved: toWholeUnits(hop.amountRaw, view.asset.decimals),
  moved_raw: String(hop.amountRaw),
  transactions: hop.transactions.map(({ signature, amountRaw, timeUnixSeconds }) => ({
    signature,
    ...presentAmount(view, amountRaw),
    time: timeUnixSeconds,
  })),
  transactions_total: hop.carriers.length,
  through: presentThrough(view.chain, hop.through),
  positions: hop.positions.map((position) => presentPosition(view, position)),
  others: hop.others.map((branch) => presentBranch(view, branch)),
});

const presentAmount = ({ asset }: Pick<View, 'asset'>, amountRaw: bigint) => ({
  amount: toWholeUnits(amountRaw, asset.decimals),
  amount_raw: String(amountRaw),
});

/** Only if senders added money of their own. */
export const presentTraced = (
  { amountRaw, tracedRaw }: Readonly<Record<'amountRaw' | 'tracedRaw', bigint | null>>,
  { decimals }: { readonly decimals: number | null },
) =>
  tracedRaw === null || tracedRaw === amountRaw
    ? {}
    : { traced: toWholeUnits(tracedRaw, decimals), traced_raw: String(tracedRaw) };

const presentBranch = (view: View, branch: Branch) => ({
  ...presentSides(view, branch),
  ...presentAmount(view, branch.amountRaw),
  ...presentTraced(branch, view.asset),
  usd: branch.usd,
  usd_source: branch.usdSource,
  signature: branch.signature,
  [sinceOrUntil(view)]: branch.sinceUnixSeconds,
  output: branch.output && presentSwapped(view.chain, branch.output, branch.output.recipient),
});

/** `from` is always the sender and `to` the recipient. The label belongs to the wallet that the trail goes to. */
const presentSides = (
  { chain, backward }: View,
  { from, to, toLabel }: Pick<Branch, 'from' | 'to' | 'toLabel'>,
) => {
  const [here, next] = [presentAddress(chain, from), presentAddress(chain, to)];
  const label = presentLabel(toLabel);
  return backward ? { to: here, from: next, from_label: label } : { from: here, to: next, to_label: label };
};

/** Where to continue: `since` forward, `until` backward. */
const sinceOrUntil = ({ backward }: Pick<View, 'backward'>): 'since' | 'until' =>
  backward ? 'until' : 'since';

const presentEnd = (trail: Trail, detail: string, isBeingRead: boolean) => {
  const { chain, asset, end } = trail;
  const present = (branch: Branch) => presentBranch(trail, branch);
  const isHeld = end.reason === 'at_rest' && end.holdingRaw !== null;
  return {
    reason: end.reason,
    outcome: outcomeOfEnd(trail),
    outcomes: partsOfEnd(trail).map(({ outcome, amountRaw }) => ({
      outcome,
      ...presentAmount(trail, amountRaw),
    })),
    ...presentFreeze(trail, end.reason === 'at_rest' ? end.fate : NOTHING_KNOWN),
    issuer: end.reason === 'dex_swap' ? (end.position?.issuer ?? null) : null,
    address: presentAddress(chain, end.address),
    detail: isBeingRead ? `${detail} ${BEING_READ}` : detail,
    holding: isHeld ? toWholeUnits(end.holdingRaw, asset.decimals) : null,
    holding_raw: isHeld ? String(end.holdingRaw) : null,
    holding_source: isHeld ? end.holdingSource : null,
    branches: end.reason === 'split' ? end.branches.map(present) : [],
    others: end.reason === 'split' ? [] : branchesOf(end).map(present),
    output: presentOutput(trail, end),
    signature: end.reason === 'dex_swap' ? end.signature : null,
    time: end.reason === 'dex_swap' ? end.timeUnixSeconds : null,
  };
};

/** Proceeds of a swap, or the other side of a bridge; null if unknown, and at every other end. */
const presentOutput = (trail: Trail, end: TrailEnd) => {
  if (end.reason !== 'bridge' && end.reason !== 'dex_swap') return null;
  if (end.output === null) return null;
  const { amountRaw } = end.output;
  const decimals = 'chain' in end.output ? end.output.asset.decimals : end.output.decimals;
  const told =
    amountRaw === null
      ? {}
      : presentTraced({ amountRaw, tracedRaw: traceOutput(trail, end, amountRaw) }, { decimals });
  return 'chain' in end.output
    ? { ...presentFarSide(trail, end.output), ...told }
    : { ...presentSwapped(trail.chain, end.output, end.address), ...told };
};

/** To continue behind a swap, send the recipient as `address` and `address` as `asset`. */
export const presentSwapped = (chain: Chain, output: SwapOutput, recipient: Address) => ({
  ...presentAsset(chain, output),
  amount: output.amountRaw === null ? null : toWholeUnits(output.amountRaw, output.decimals),
  amount_raw: output.amountRaw === null ? null : String(output.amountRaw),
  usd: output.usd,
  recipient: presentAddress(chain, recipient),
});

/** To continue behind a bridge, send `chain`, `address`, `asset.address`, `since` or `until`, and `amount`. */
export const presentFarSide = (view: Pick<View, 'backward'>, { chain, asset, ...side }: FarSide) => ({
  chain: chain.name,
  address: presentAddress(chain, side.address),
  asset: presentAsset(chain, asset),
  amount: toWholeUnits(side.amountRaw, asset.decimals),
  amount_raw: String(side.amountRaw),
  signature: side.signature,
  [sinceOrUntil(view)]: side.timeUnixSeconds,
  by: side.by,
  confidence: side.confidence,
});

/** Send `address` back as `asset` to continue: `native` for the coin. */
const presentAsset = (chain: Chain, { symbol, asset, decimals }: NamedAsset) => ({
  symbol,
  address: asset === NATIVE ? NATIVE : presentAddress(chain, asset),
  decimals,
});

export const presentThrough = (chain: Chain, through: readonly Passed[]) =>
  through.map(({ address, label }) => ({
    address: presentAddress(chain, address),
    label: presentLabel(label),
  }));

export const presentLabel = (label: Label | null) => label && { name: label.name, kind: label.kind };

const scopeOf = ({ hops, end, isComplete }: Trail): 'full' | 'partial' | 'no_data' => {
  if (end.reason === 'no_data') return hops.length === 0 && !isSeen(end) ? 'no_data' : 'partial';
  return isComplete ? 'full' : 'partial';
};

/** Something is known of the first wallet, even if the rest is not. */
const isSeen = (end: TrailEnd): boolean =>
  end.reason === 'no_data' && (end.because === 'left_out' || end.because === 'new');
