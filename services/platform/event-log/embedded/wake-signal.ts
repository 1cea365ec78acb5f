/** Lets many wait for "something has changed", none longer than they want to. */
export type WakeSignal = {
  /** Resolves at the next `wake` or after `timeoutMs`. */
  wait(timeoutMs: number): Promise<void>;
  wake(): void;
};

export const createWakeSignal = (): WakeSignal => {
  const sleepers = new Set<() => void>();
  return {
    wait: (timeoutMs) =>
      new Promise((resolve) => {
        const wakeUp = (): void => {
          clearTimeout(timer);
          sleepers.delete(wakeUp);
          resolve();
        };
        const timer = setTimeout(wakeUp, timeoutMs);
        sleepers.add(wakeUp);
      }),
    wake: () => {
      for (const wakeUp of [...sleepers]) wakeUp();
    },
  };
};
