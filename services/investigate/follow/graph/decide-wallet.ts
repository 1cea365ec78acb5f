import type { Address } from '../../model/address.ts';
import { larger, sumOf } from '../../model/amount.ts';
import { seeWallet } from '../decide-hop.ts';
import type { Journey } from '../journey.ts';
import type { Known } from '../know-wallet.ts';
import { groupDestinations } from '../payments/group-destinations.ts';
import { type Arrival, chanceOf, compareOnTrail, type Outgoing } from '../payments/outgoing.ts';
import { EVERYTHING, type Stake } from '../payments/stake.ts';
import { BEYOND_SUM_CHANCE } from '../rules.ts';
import type { Cut } from '../why.ts';
import type { FlowPayment } from './flow-graph.ts';

/** Money of the flow that reached a wallet, and how probably it is that. */
export type Lot = Arrival & { readonly probability: number };

export type Decided = {
  readonly payments: readonly FlowPayment[];
  readonly known: Known;
  readonly cuts: readonly Cut[];
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
export const decideWallet = async (journey: Journey, { wallet, start, lots }: Brought): Promise<Decided> => {
  const { backward } = journey.request;
  const top = start === null ? lots.reduce((best, { probability }) => Math.max(best, probability), 0) : 1;
  const stake = start?.told === 'nobody' ? EVERYTHING : joinStakes(start, lots, { top, backward });
  const stand = { wallet, stake };
  const { outgoing, besides, cuts, known } = await seeWallet(journey, stand, null);
  const all = [...outgoing.map((payment) => ({ ...payment, isBeyond: false })), ...besides];
  const real = new Set(
    groupDestinations(all, backward).flatMap((to) => (to.type === 'wallet' ? [to.address] : [])),
  );
  const payments = all.flatMap(({ isBeyond, ...payment }): FlowPayment[] => {
    if (payment.type === 'transfer' && !real.has(payment.to)) return [];
    const probability = top * chanceOf(payment) * (isBeyond ? BEYOND_SUM_CHANCE : 1);
    return [toFlowPayment(wallet, payment, { probability, isBeyond })];
  });
  return { payments, known: known.onward, cuts };
};

const joinStakes = (
  start: Stake | null,
  lots: readonly Lot[],
  { top, backward }: { readonly top: number; readonly backward: boolean },
): Stake => {
  const brought = lots.map(({ probability, ...lot }): Arrival => {
    const chance = probability / top;
    return chance === 1 ? lot : { ...lot, chance };
  });
  const all = [...(start?.lots ?? []), ...brought].sort(compareOnTrail(backward));
  return { lots: all, told: start?.told ?? 'chain' };
};

const toFlowPayment = (
  from: Address,
  payment: Outgoing,
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
