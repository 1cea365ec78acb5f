import type { StartPart, StartWait } from '../api/status/status-probes.ts';
import type { Clock } from '../platform/clock.ts';

/** Opens a part of what a process needs. `open` says when the part turned out to be out of reach, and is tried again. */
export type WaitFor = <T>(part: StartPart, open: (isAway: () => void) => Promise<T>) => Promise<T>;

/** For whoever opens something and tells nobody. */
export const waitUnseen: WaitFor = (_, open) => open(() => {});

/** What a process waits for while it starts: what opens is in `waits` until it is open, or turned out not to open. */
export const createStartWaits = (clock: Clock): { waitFor: WaitFor; waits: () => StartWait[] } => {
  const open = new Set<StartWait & { isAway: boolean }>();
  return {
    waitFor: async (part, run) => {
      const wait = { part, sinceUnixMs: clock.nowUnixMs(), isAway: false };
      open.add(wait);
      try {
        return await run(() => {
          wait.isAway = true;
        });
      } finally {
        open.delete(wait);
      }
    },
    waits: () => [...open],
  };
};
