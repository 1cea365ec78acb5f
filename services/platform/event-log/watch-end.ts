import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog, PartitionRange } from './event-log.ts';

/** How old what a reader knows of a topic is. */
export type EndWatch = {
  /** How long ago the topic was asked for its end by which the reader has everything. */
  ageMs(): number;
  /** To be called whenever the reader has taken something. */
  look(): void;
  stop(): void;
};

const ASK_EVERY_MS = 200;

/**
 * Asks again and again where a topic ends, and looks when the reader has come so far. A read that brings nothing
 * does not tell a quiet topic from a log that does not answer; an end that was told, and read up to, does.
 */
export const watchEnd = (options: {
  log: Pick<EventLog, 'ranges'>;
  topic: string;
  /** As of when the reader has everything now, as `performance.now()` says. */
  currentAtMs: number;
  hasAll: (ranges: readonly PartitionRange[]) => boolean;
  /** Hears of every failure; it goes on asking. */
  onError: (error: unknown) => void;
}): EndWatch => {
  const { log, topic, hasAll, onError } = options;
  let { currentAtMs } = options;
  let told: { readonly askedMs: number; readonly ranges: readonly PartitionRange[] } | null = null;
  let isStopped = false;

  const look = (): void => {
    if (told === null || !hasAll(told.ranges)) return;
    currentAtMs = told.askedMs;
    told = null;
  };
  const ask = async (): Promise<void> => {
    const askedMs = performance.now();
    told = { askedMs, ranges: await log.ranges(topic) };
    look();
  };
  const watch = async (): Promise<void> => {
    while (!isStopped) {
      try {
        if (told === null) await ask();
      } catch (error) {
        if (!isStopped) onError(error);
      }
      await sleep(ASK_EVERY_MS, undefined, { ref: false });
    }
  };
  // Nobody waits for its end: a log that does not answer now may do so only when it is closed.
  void watch();

  return {
    ageMs: () => performance.now() - currentAtMs,
    look,
    stop: () => {
      isStopped = true;
    },
  };
};
