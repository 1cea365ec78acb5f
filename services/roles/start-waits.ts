import type { StartPart, StartWait } from '../api/status/status-probes.ts';
import type { Clock } from '../platform/clock.ts';

/** Opens a part of a process. `open` reports when the part is out of reach and retried. */
export type WaitFor = <T>(part: StartPart, open: (isAway: () => void) => Promise<T>) => Promise<T>;

/** For callers that report nothing. */
export const waitUnseen: WaitFor = (_, open) => open(() => {});

/** What a starting process waits for: each part stays in `waits` until it opens or fails. */
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
