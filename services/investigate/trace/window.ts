import type { TimeRange } from '../model/trace-reader.ts';
import { DAY_SECONDS, HOUR_SECONDS, WINDOW_DEFAULT_SECONDS } from './rules.ts';
import type { IntermediaryKind, Tier, TraceRequest } from './trace-answer.ts';

/** Forward: the window after the anchor; backward: the window before it. Both ends included. */
export const chooseWindow = (
  { direction, windowSeconds }: Pick<TraceRequest, 'direction' | 'windowSeconds'>,
  kind: IntermediaryKind,
  anchorUnixSeconds: number,
): TimeRange => {
  const seconds = windowSeconds ?? WINDOW_DEFAULT_SECONDS[kind];
  return direction === 'out'
    ? { fromUnixSeconds: anchorUnixSeconds, toUnixSeconds: anchorUnixSeconds + seconds }
    : { fromUnixSeconds: Math.max(0, anchorUnixSeconds - seconds), toUnixSeconds: anchorUnixSeconds };
};

const TIERS: readonly (readonly [atMostSeconds: number, tier: Tier])[] = [
  [300, 'trivial'],
  [1_800, 'strong'],
  [2 * HOUR_SECONDS, 'likely'],
  [6 * HOUR_SECONDS, 'weak'],
  [DAY_SECONDS, 'loose'],
];

/** Nearness in time, in words. It is not a likelihood. */
export const tierOf = (deltaSeconds: number): Tier =>
  TIERS.find(([atMost]) => Math.abs(deltaSeconds) <= atMost)?.[1] ?? 'distant';
