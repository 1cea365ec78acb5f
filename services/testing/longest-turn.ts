/** What some work did, and how long it kept the process from everything else. */
export type Watched<T> = {
  readonly result: T;
  /** The longest turn of the event loop in milliseconds of its thread's processor time: other programs of the machine do not count. */
  readonly longestTurnMs: number;
};

const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Runs some work and looks at the processor time of this thread whenever the event loop comes round. */
export const watchTurns = async <T>(work: () => Promise<T>): Promise<Watched<T>> => {
  let longestTurnMs = 0;
  let isOver = false;
  let before = processorMs();
  const look = (): void => {
    const now = processorMs();
    longestTurnMs = Math.max(longestTurnMs, now - before);
    before = now;
  };
  const turn = (): void => {
    look();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await work();
    look();
    return { result, longestTurnMs };
  } finally {
    isOver = true;
  }
};
