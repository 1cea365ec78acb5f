import type { Logger } from '../../platform/logger.ts';
import type { Running } from '../run-until-stopped.ts';

export type RunningSink = Running & {
  /** Whether it waits for the tables or the log (out of reach, disk full) and retries. */
  isRefused(): boolean;
};

/** Logs what a sink waits for, and remembers whether it waits now. */
export const toldWaits = (logger: Logger, text: string) => {
  let isRefused = false;
  return {
    isRefused: () => isRefused,
    waiting: (err: unknown, waitMs: number): void => {
      isRefused = true;
      logger.warn({ err, waitMs }, text);
    },
    recovered: (): void => {
      isRefused = false;
    },
  };
};
