/** Lets many callers wait for records of their topics, each with its own timeout. */
export type WakeSignal = {
  /** Resolves at the next `wake` for one of the topics, or after `timeoutMs`. */
  wait(topics: readonly string[], timeoutMs: number): Promise<void>;
  /** Without topics it wakes everybody. */
  wake(topics?: ReadonlySet<string>): void;
};

export const createWakeSignal = (): WakeSignal => {
  const sleepers = new Map<() => void, readonly string[]>();
  return {
    wait: (topics, timeoutMs) =>
      new Promise((resolve) => {
        const wakeUp = (): void => {
          clearTimeout(timer);
          sleepers.delete(wakeUp);
          resolve();
        };
        const timer = setTimeout(wakeUp, timeoutMs);
        sleepers.set(wakeUp, topics);
      }),
    wake: (topics) => {
      for (const [wakeUp, waitedFor] of [...sleepers])
        if (topics === undefined || waitedFor.some((topic) => topics.has(topic))) wakeUp();
    },
  };
};
