import { startProgress } from './progress.ts';

const TICK_MS = 1_000;
/** Short work needs no message and should not fill a log. */
const QUIET_MS = { terminal: 1_000, elsewhere: 5_000 };

type Waiting = {
  /** A line that stays. */
  readonly note: (line: string) => void;
  readonly stop: () => void;
};

/** Reports on stderr what is running and for how long, until `stop`. */
export const startWaiting = (what: string | (() => string)): Waiting => {
  const begin = performance.now();
  const progress = startProgress(process.stderr, () => performance.now());
  const quietMs = process.stderr.isTTY ? QUIET_MS.terminal : QUIET_MS.elsewhere;
  const timer = setInterval(() => {
    const ms = performance.now() - begin;
    if (ms >= quietMs - TICK_MS / 2)
      progress.update(`${typeof what === 'string' ? what : what()}, ${Math.round(ms / 1_000)} s`);
  }, TICK_MS);
  return {
    note: progress.note,
    stop: () => {
      clearInterval(timer);
      progress.end();
    },
  };
};

/** The same during one piece of work. */
export const whileWaiting = async <T>(
  what: string | (() => string),
  work: (note: (line: string) => void) => Promise<T>,
): Promise<T> => {
  const waiting = startWaiting(what);
  try {
    return await work(waiting.note);
  } finally {
    waiting.stop();
  }
};
