import type { Address } from '../../model/address.ts';
import { addRaw, larger, least, sumOf } from '../../model/amount.ts';
import { giveWay } from '../../model/give-way.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import { besides, seeWallet } from '../decide-hop.ts';
import type { Direction } from '../direction.ts';
import type { FollowContext } from '../follow-context.ts';
import { divideInnerPaths, type Part } from '../inner/divide-inner-path.ts';
import { toDirect } from '../inner/find-inner-path.ts';
import { NOT_REFUNDED, type Refunded } from '../inner/refunds.ts';
import { resolveEach } from '../inner/resolve-payments.ts';
import type { MarkedOutflow } from '../payments/allocate-outflows.ts';
import { groupDestinations } from '../payments/group-destinations.ts';
import {
  chanceOf,
  EVERYTHING,
  type Inflow,
  type Outflow,
  type Stake,
  sumByTransaction,
} from '../payments/inflow.ts';
import type { Position } from '../positions/position.ts';
import { BEYOND_SUM_CHANCE } from '../rules.ts';
import type { WalletCoverage } from '../wallet-coverage.ts';
import type { TruncatedRead } from '../why.ts';
import type { FlowPayment } from './flow-graph.ts';
import { tellSold } from './tell-sold.ts';

/** Money of the flow that reached a wallet, and how probably it is that. */
export type Lot = Inflow & { readonly probability: number };

export type Decided = Refunded & {
  readonly payments: readonly FlowPayment[];
  readonly known: WalletCoverage;
  readonly cuts: readonly TruncatedRead[];
  /** Deposits that were paid back to it. */
  readonly positions: readonly Position[];
};

export type Brought = {
  readonly wallet: Address;
  /** What the request says of it, where the flow starts there. */
  readonly start: Stake | null;
  readonly lots: readonly Lot[];
  readonly payers: ReadonlySet<Address>;
};

/** What left a wallet. Its final recipients are not resolved yet. */
export type Seen = Pick<Decided, 'known' | 'cuts' | 'positions'> & {
  readonly brought: Brought;
  readonly stake: Stake;
  /** Of the likeliest lot. */
  readonly probability: number;
  readonly outflows: readonly MarkedOutflow[];
};

/**
 * All payments of a wallet that may be the flow's. The rules of one hop are applied to every payment instead of the largest stream. The
 * likeliest lot is taken as certain; every other lot counts by its probability relative to that one.
 */
export const seeLots = async (context: FollowContext, brought: Brought): Promise<Seen> => {
  const { wallet, start, lots } = brought;
  const { direction } = context;
  const probability =
    start === null ? lots.reduce((best, { probability }) => Math.max(best, probability), 0) : 1;
  const stake =
    start?.source === 'unknown' ? EVERYTHING : joinStakes(start, lots, { top: probability, direction });
  const { outflows, notCounted, cuts, known, positions } = await seeWallet(context, { wallet, stake }, null);
  const all = [...outflows.map((payment) => ({ ...payment, isBeyond: false })), ...notCounted];
  const real = new Set(
    groupDestinations(all, direction).flatMap((to) => (to.type === 'wallet' ? [to.address] : [])),
  );
  const paid = all.filter((payment) => payment.type === 'swap' || real.has(payment.to));
  return { brought, stake, probability, outflows: paid, known, cuts, positions };
};

/** Resolves each payment to its final recipient within its transaction. Refunds within it count as never paid. */
export const decideWallet = async (context: FollowContext, seen: Seen): Promise<Decided> => {
  const { brought, stake, outflows, probability, known, cuts, positions } = seen;
  const { wallet, payers: visited } = brought;
  const cyclic = new Set(outflows.map(transactionKey));
  const resolved = await resolveEach(context, { wallet, stake, outflows, visited, cyclic });
  if (resolved !== null && 'refunded' in resolved) {
    const again = await decideWallet(context, await seeLots(context, brought));
    return { ...again, refunded: besides(wallet, [resolved, again]) };
  }
  await giveWay();
  const direct = { paths: outflows.map((payment) => toDirect(payment)), labels: new Map() };
  const parts = divideInnerPaths(wallet, resolved ?? direct);
  const payments = outflows.flatMap(({ isBeyond, ...payment }, at): FlowPayment[] => {
    const likely = probability * chanceOf(payment) * (isBeyond ? BEYOND_SUM_CHANCE : 1);
    return toFlowPayments(wallet, payment, { parts: parts[at] ?? [], probability: likely, isBeyond });
  });
  return { payments: await tellSold(context, wallet, payments), known, cuts, positions, ...NOT_REFUNDED };
};

const joinStakes = (
  start: Stake | null,
  lots: readonly Lot[],
  { top, direction }: { readonly top: number; readonly direction: Direction },
): Stake => {
  const known = start?.lots ?? [];
  // Where one start pays another, both the request and the flow name the payment.
  const named = new Map(sumByTransaction(known));
  const brought = lots.flatMap(({ probability, ...lot }): readonly Inflow[] => {
    const chance = probability / top;
    const twiceRaw = least(lot.amountRaw, named.get(transactionKey(lot)) ?? 0n);
    addRaw(named, transactionKey(lot), -twiceRaw);
    const once = { ...lot, amountRaw: lot.amountRaw - twiceRaw };
    if (once.amountRaw === 0n) return [];
    return [chance === 1 ? once : { ...once, chance }];
  });
  const all = [...known, ...brought].sort(direction.compare);
  return { lots: all, source: start?.source ?? 'chain' };
};

type Told = Pick<FlowPayment, 'probability' | 'isBeyond'> & { readonly parts: readonly Part[] };

const toFlowPayments = (from: Address, payment: Outflow, { parts, ...doubt }: Told): FlowPayment[] => {
  const { blockTime, blockNumber, txIndex, amountRaw } = payment;
  const moved = { from, blockTime, blockNumber, txIndex, amountRaw, ...doubt };
  if (payment.type === 'transfer') return parts.map((part) => ({ ...moved, ...part, type: 'transfer' }));
  const byAsset = [...Map.groupBy(payment.swaps, ({ otherAsset }) => otherAsset)].map(([asset, swaps]) => ({
    ...{ asset, amountRaw: sumOf(swaps) },
    gotRaw: swaps.reduce((sum, { otherRaw }) => sum + otherRaw, 0n),
    through: swaps.reduce(larger).through,
  }));
  const { asset, gotRaw, through } = byAsset.reduce(larger);
  return [{ ...moved, type: 'swap', by: from, through, output: { asset, amountRaw: gotRaw } }];
};
