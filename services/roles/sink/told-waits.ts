import type { Logger } from '../../platform/logger.ts';
import type { Running } from '../run-until-stopped.ts';

export type RunningSink = Running & {
  /** Since when it waits for the tables or the log (out of reach, disk full, no answer); null: it does not. */
  waitsSinceUnixMs(): number | null;
};

/** Logs what a sink waits for, and remembers since when. */
export const toldWaits = (logger: Logger, text: string) => {
  let sinceUnixMs: number | null = null;
  return {
    waitsSinceUnixMs: () => sinceUnixMs,
    waiting: (err: unknown, waitMs: number): void => {
      sinceUnixMs ??= Date.now();
      logger.warn({ err, waitMs }, text);
    },
    recovered: (): void => {
      sinceUnixMs = null;
    },
  };
};
