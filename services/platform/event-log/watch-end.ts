import type { EventLog, PartitionRange } from './event-log.ts';

/** The age of what a reader knows of a topic. */
export type EndWatch = {
  /** How long ago the end that the reader has reached was fetched. */
  ageMs(): number;
  /** Call this whenever the reader has taken something. */
  look(): void;
  stop(): void;
};

const ASK_EVERY_MS = 200;
/** An end that was not reached for this long may have been deleted by the log, and is fetched again. */
const REACH_WITHIN_MS = 5_000;

/**
 * Polls a topic's end and checks whether the reader has reached it. An empty read cannot distinguish a quiet
 * topic from an unavailable log; an end that was fetched and then reached can.
 */
export const watchEnd = (options: {
  log: Pick<EventLog, 'ranges'>;
  topic: string;
  /** The time up to which the reader has everything, by `performance.now()`. */
  currentAtMs: number;
  hasAll: (ranges: readonly PartitionRange[]) => boolean;
  /** Called with every failure. It keeps polling. */
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
