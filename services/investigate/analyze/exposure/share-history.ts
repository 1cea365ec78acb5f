import { createHoldings, flowKey, type WorthFlow } from './holdings.ts';

/**
 * Dollars of the subject's money, by the `flowKey` of the movement that carried them to or from this wallet.
 */
export type Demands = ReadonlyMap<string, number>;

/** The demands divided among the wallet's own movements, and the part that its history does not explain. */
export type Shared = {
  readonly shares: ReadonlyMap<WorthFlow, number>;
  readonly unattributed: number;
};

/**
 * Finds the inflows that funded some payments of a wallet: pro rata of what it held at each payment (haircut;
 * Anderson et al. 2018), in time order, so that an inflow never explains an earlier payment. Holdings from
 * before the first row have no source. `flows` are all of the wallet's, oldest first.
 */
export const shareBackward = (flows: readonly WorthFlow[], demands: Demands): Shared => {
  const holdings = createHoldings();
  // The unclaimed rest of each inflow is `part` times `scale`. Each payment reduces all of them by the same
  // factor.
  let lots: { readonly flow: WorthFlow; readonly part: number }[] = [];
  let scale = 1;
  let total = 0;
  const shares = new Map<WorthFlow, number>();
  let attributed = 0;
  for (const flow of flows) {
    if (flow.direction === 'in') {
      holdings.receive(flow);
      if (flow.isSwap || flow.usd === null || flow.usd <= 0) continue;
      lots.push({ flow, part: flow.usd / scale });
      total += flow.usd;
      continue;
    }
    const { covered, fraction } = holdings.spend(flow);
    if (flow.isSwap) continue;
    const asked = (demands.get(flowKey(flow)) ?? 0) * covered;
    if (asked > 0 && total > 0) {
      for (const { flow: source, part } of lots)
        shares.set(source, (shares.get(source) ?? 0) + (asked * part * scale) / total);
      attributed += asked;
    }
    const left = 1 - fraction;
    scale *= left;
    total *= left;
    if (left < NOTHING || scale < NOTHING) [lots, scale, total] = [[], 1, 0];
  }
  return { shares, unattributed: Math.max(0, sumOf(demands) - attributed) };
};

/** A total remainder below this is rounding error. */
const NOTHING = 1e-9;

/**
 * Finds where the money of some inflows went: each later payment takes from it pro rata of what the wallet
 * held then. Money that never left is unattributed.
 */
export const shareForward = (flows: readonly WorthFlow[], demands: Demands): Shared => {
  const holdings = createHoldings();
  const shares = new Map<WorthFlow, number>();
  let tracked = 0;
  let attributed = 0;
  for (const flow of flows) {
    if (flow.direction === 'in') {
      holdings.receive(flow);
      if (!flow.isSwap) tracked += demands.get(flowKey(flow)) ?? 0;
      continue;
    }
    const { fraction } = holdings.spend(flow);
    if (flow.isSwap || tracked === 0) continue;
    const sent = tracked * fraction;
    shares.set(flow, sent);
    tracked -= sent;
    attributed += sent;
  }
  return { shares, unattributed: Math.max(0, sumOf(demands) - attributed) };
};

const sumOf = (demands: Demands): number => [...demands.values()].reduce((sum, usd) => sum + usd, 0);
