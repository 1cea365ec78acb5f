import type { Random } from './random.ts';

/** True prices in dollars: an hourly random walk, linear in between. Pools trade around them. */
export type Prices = {
  readonly usd: (symbol: string, timeUnixSeconds: number) => number;
  readonly add: (symbol: string, startUsd: number, hourlyVolatility: number) => void;
};

const HOUR = 3_600;

export const createPrices = (random: Random, startUnixSeconds: number, days: number): Prices => {
  const paths = new Map<string, readonly number[]>();
  return {
    usd: (symbol, time) => {
      const path = paths.get(symbol);
      if (path === undefined) return 1;
      const hours = Math.min(Math.max((time - startUnixSeconds) / HOUR, 0), path.length - 1);
      const from = path[Math.floor(hours)] ?? 1;
      const to = path[Math.min(Math.floor(hours) + 1, path.length - 1)] ?? from;
      return from + (to - from) * (hours - Math.floor(hours));
    },
    add: (symbol, startUsd, hourlyVolatility) => {
      const draws = random.fork(`price ${symbol}`);
      const path = [startUsd];
      for (let hour = 0; hour < days * 24 + 2; hour++) {
        path.push((path.at(-1) ?? startUsd) * Math.exp(hourlyVolatility * draws.normal()));
      }
      paths.set(symbol, path);
    },
  };
};
