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
/** An end that was not reached for so long may have been forgotten by the log, and is asked for anew. */
const REACH_WITHIN_MS = 5_000;

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
  let isAsking = false;
  let isStopped = false;

  const look = (): void => {
    if (told === null || !hasAll(told.ranges)) return;
    currentAtMs = told.askedMs;
    told = null;
  };
  const ask = async (): Promise<void> => {
    const askedMs = performance.now();
    if (isAsking || (told !== null && askedMs - told.askedMs < REACH_WITHIN_MS)) return;
    isAsking = true;
    try {
      told = { askedMs, ranges: await log.ranges(topic) };
      look();
    } catch (error) {
      if (!isStopped) onError(error);
    } finally {
      isAsking = false;
    }
  };
  const asking = setInterval(() => void ask(), ASK_EVERY_MS).unref();

  return {
    ageMs: () => performance.now() - currentAtMs,
    look,
    stop: () => {
      isStopped = true;
      clearInterval(asking);
    },
  };
};
