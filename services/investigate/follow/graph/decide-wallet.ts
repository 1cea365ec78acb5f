import type { Address } from '../../model/address.ts';
import { larger, sumOf } from '../../model/amount.ts';
import { seeWallet } from '../decide-hop.ts';
import type { Direction } from '../direction.ts';
import type { FollowContext } from '../follow-context.ts';
import { groupDestinations } from '../payments/group-destinations.ts';
import { chanceOf, EVERYTHING, type Inflow, type Outflow, type Stake } from '../payments/inflow.ts';
import { BEYOND_SUM_CHANCE } from '../rules.ts';
import type { Known } from '../wallet-coverage.ts';
import type { TruncatedRead } from '../why.ts';
import type { FlowPayment } from './flow-graph.ts';

/** Money of the flow that reached a wallet, and how probably it is that. */
export type Lot = Inflow & { readonly probability: number };

export type Decided = {
  readonly payments: readonly FlowPayment[];
  readonly known: Known;
  readonly cuts: readonly TruncatedRead[];
};

type Brought = {
  readonly wallet: Address;
  /** What the request says of it, where the flow starts there. */
  readonly start: Stake | null;
  readonly lots: readonly Lot[];
};

/**
 * Where all that the flow brought to a wallet went: the rules of one hop, asked for every payment in place of the largest stream. The
 * likeliest of what came is taken for granted, and the rest counts beside it as far as it is likely.
 */
export const decideWallet = async (
  context: FollowContext,
  { wallet, start, lots }: Brought,
): Promise<Decided> => {
  const { direction } = context;
  const top = start === null ? lots.reduce((best, { probability }) => Math.max(best, probability), 0) : 1;
  const stake = start?.told === 'nobody' ? EVERYTHING : joinStakes(start, lots, { top, direction });
  const stand = { wallet, stake };
  const { outflows, besides, cuts, known } = await seeWallet(context, stand, null);
  const all = [...outflows.map((payment) => ({ ...payment, isBeyond: false })), ...besides];
  const real = new Set(
    groupDestinations(all, direction).flatMap((to) => (to.type === 'wallet' ? [to.address] : [])),
  );
  const payments = all.flatMap(({ isBeyond, ...payment }): FlowPayment[] => {
    if (payment.type === 'transfer' && !real.has(payment.to)) return [];
    const probability = top * chanceOf(payment) * (isBeyond ? BEYOND_SUM_CHANCE : 1);
    return [toFlowPayment(wallet, payment, { probability, isBeyond })];
  });
  return { payments, known: known.sinceInflow, cuts };
};

const joinStakes = (
  start: Stake | null,
  lots: readonly Lot[],
  { top, direction }: { readonly top: number; readonly direction: Direction },
): Stake => {
  const brought = lots.map(({ probability, ...lot }): Inflow => {
    const chance = probability / top;
    return chance === 1 ? lot : { ...lot, chance };
  });
  const all = [...(start?.lots ?? []), ...brought].sort(direction.compare);
  return { lots: all, told: start?.told ?? 'chain' };
};

const toFlowPayment = (
  from: Address,
  payment: Outflow,
  doubt: Pick<FlowPayment, 'probability' | 'isBeyond'>,
): FlowPayment => {
  const { blockTime, blockNumber, txIndex, amountRaw } = payment;
  const moved = { from, blockTime, blockNumber, txIndex, amountRaw, ...doubt };
  if (payment.type === 'transfer') return { ...moved, type: 'transfer', to: payment.to };
  const byAsset = [...Map.groupBy(payment.swaps, ({ otherAsset }) => otherAsset)].map(([asset, swaps]) => ({
    ...{ asset, amountRaw: sumOf(swaps) },
    gotRaw: swaps.reduce((sum, { otherRaw }) => sum + otherRaw, 0n),
  }));
  const { asset, gotRaw } = byAsset.reduce(larger);
  return { ...moved, type: 'swap', output: { asset, amountRaw: gotRaw } };
};
