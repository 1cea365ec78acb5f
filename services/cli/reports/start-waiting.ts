import { startProgress } from './progress.ts';

const TICK_MS = 1_000;
/** Most work is done before anybody wonders; a log is not to be filled with what took a moment. */
const QUIET_MS = { terminal: 1_000, elsewhere: 5_000 };

/** Says on stderr what is being done and for how long, until `stop`. */
export const startWaiting = (what: string | (() => string)): { readonly stop: () => void } => {
  const begin = performance.now();
  const progress = startProgress(process.stderr, () => performance.now());
  const quietMs = process.stderr.isTTY ? QUIET_MS.terminal : QUIET_MS.elsewhere;
  const timer = setInterval(() => {
    const ms = performance.now() - begin;
    if (ms >= quietMs - TICK_MS / 2)
      progress.update(`${typeof what === 'string' ? what : what()}, ${Math.round(ms / 1_000)} s`);
  }, TICK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      progress.end();
    },
  };
};

/** The same while one piece of work is under way. */
export const whileWaiting = async <T>(what: string | (() => string), work: () => Promise<T>): Promise<T> => {
  const waiting = startWaiting(what);
  try {
    return await work();
  } finally {
    waiting.stop();
  }
};
