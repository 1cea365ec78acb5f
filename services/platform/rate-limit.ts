import type { Clock } from './clock.ts';

type Rate = {
  /** So many may come at once. */
  readonly burst: number;
  /** And one more in each so many milliseconds. */
  readonly everyMs: number;
};

/** How many names are remembered. The one that was silent for longest is forgotten first. */
const NAMES_MAX = 20_000;

export type RateLimit = {
  /** Seconds to wait before another one; 0 where it may come now, and is counted. */
  take(name: string): number;
  /** The last one does not count after all. */
  giveBack(name: string): void;
};

/** A leaky bucket for each name: all that is kept of one is when it will be empty. */
export const createRateLimit = ({ burst, everyMs }: Rate, clock: Clock): RateLimit => {
  const emptyAtUnixMs = new Map<string, number>();
  const fill = (name: string, byMs: number, nowUnixMs: number): void => {
    const empty = Math.max(emptyAtUnixMs.get(name) ?? 0, nowUnixMs) + byMs;
    emptyAtUnixMs.delete(name);
    if (empty > nowUnixMs) emptyAtUnixMs.set(name, empty);
    const [oldest] = emptyAtUnixMs.keys();
    if (emptyAtUnixMs.size > NAMES_MAX && oldest !== undefined) emptyAtUnixMs.delete(oldest);
  };
  return {
    take: (name) => {
      const nowUnixMs = clock.nowUnixMs();
      const aheadMs = (emptyAtUnixMs.get(name) ?? 0) + everyMs - nowUnixMs - burst * everyMs;
      if (aheadMs > 0) return Math.ceil(aheadMs / 1_000);
      fill(name, everyMs, nowUnixMs);
      return 0;
    },
    giveBack: (name) => fill(name, -everyMs, clock.nowUnixMs()),
  };
};
