import { createHoldings, flowKey, type WorthFlow } from './holdings.ts';

/** Dollars of the subject's money, by the `flowKey` of the movement that carried them to or from this wallet. */
export type Demands = ReadonlyMap<string, number>;

/** How demands are shared out among the wallet's own movements, and what of them cannot be. */
export type Shared = {
  readonly shares: ReadonlyMap<WorthFlow, number>;
  readonly unattributed: number;
};

/**
 * Where the money came from with which a wallet made some payments: pro rata of what it held at each (haircut; Anderson et al. 2018),
 * in time order, so that nothing explains a payment before it. What it held from before its first row is nobody's. `flows`: all of
 * the wallet, oldest first.
 */
export const shareBackward = (flows: readonly WorthFlow[], demands: Demands): Shared => {
  const holdings = createHoldings();
  // What is left of each arrival is `part` times `scale`: a payment takes of all alike.
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

/** Below this what is left of everything is an error of rounding. */
const NOTHING = 1e-9;

/**
 * Where the money went that a wallet got with some arrivals: each later payment takes of it pro rata of what the wallet held then.
 * What never left is unattributed.
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
