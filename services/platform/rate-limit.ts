import type { Clock } from './clock.ts';

type Rate = {
  /** Size of a burst. */
  readonly burst: number;
  /** Milliseconds until one more is allowed. */
  readonly everyMs: number;
};

/** Number of names in memory. The one that was silent for longest is dropped first. */
const NAMES_MAX = 20_000;

export type RateLimit = {
  /** Seconds to wait before the next one; 0 when it is allowed now, and counted. */
  take(name: string): number;
  /** Does not count the last one after all. */
  giveBack(name: string): void;
};

/** A leaky bucket for each name. Only the time at which it will be empty is stored. */
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
