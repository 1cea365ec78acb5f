import { startProgress } from '../reports/progress.ts';

const TICK_MS = 1_000;

/** Says on stderr how long a call has been running, until `stop`. */
export const startWaiting = (what: string): { readonly stop: () => void } => {
  const begin = performance.now();
  const progress = startProgress(process.stderr, () => performance.now());
  const timer = setInterval(
    () => progress.update(`${what}, ${Math.round((performance.now() - begin) / 1_000)} s`),
    TICK_MS,
  );
  return {
    stop: () => {
      clearInterval(timer);
      progress.end();
    },
  };
};
