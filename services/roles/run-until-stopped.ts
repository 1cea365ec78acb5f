/** Background work of a process. */
export type Running = {
  /** Rejects when it ended for any reason but `stop`. */
  readonly ended: Promise<void>;
  /** Finishes the current step. */
  stop(): Promise<void>;
};

/** Starts `run`, which ends in order when its signal aborts. */
export const runUntilStopped = (run: (signal: AbortSignal) => Promise<void>): Running => {
  const stopping = new AbortController();
  const ended = run(stopping.signal);
  // The caller looks at `ended`; until then a failure must not count as unhandled.
  ended.catch(() => {});
  return {
    ended,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};
