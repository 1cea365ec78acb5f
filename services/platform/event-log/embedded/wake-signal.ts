/** Lets many callers wait for records of their topics, each with its own timeout. */
export type WakeSignal = {
  /**
   * Resolves with true at the next `wake` for one of the topics and when another process wrote, else with false
   * after `timeoutMs`.
   */
  wait(topics: readonly string[], timeoutMs: number): Promise<boolean>;
  /** Without topics it wakes everybody. */
  wake(topics?: ReadonlySet<string>): void;
};

/** How often it looks for what another process wrote. Own appends wake at once. */
const LOOK_MS = 40;

/** @param hasChanged whether anybody wrote since it was last asked; asked once for all who wait. */
export const createWakeSignal = (hasChanged: () => boolean): WakeSignal => {
  const sleepers = new Map<() => void, readonly string[]>();
  let looking: NodeJS.Timeout | null = null;

  const wake: WakeSignal['wake'] = (topics) => {
    for (const [wakeUp, waitedFor] of [...sleepers])
      if (topics === undefined || waitedFor.some((topic) => topics.has(topic))) wakeUp();
  };
  const look = (): void => {
    if (sleepers.size === 0 && looking) {
      clearInterval(looking);
      looking = null;
    } else if (hasChanged()) wake();
  };
  return {
    wait: (topics, timeoutMs) =>
      new Promise((resolve) => {
        const end = (isWoken: boolean): void => {
          clearTimeout(timer);
          sleepers.delete(wakeUp);
          resolve(isWoken);
        };
        const wakeUp = () => end(true);
        const timer = setTimeout(end, timeoutMs, false);
        sleepers.set(wakeUp, topics);
        looking ??= setInterval(look, LOOK_MS).unref();
      }),
    wake,
  };
};
