import { whenNpmEnds } from '../platform/when-npm-ends.ts';

/** Aborts at the first interrupt, so that work ends in order; a second one ends the process at once. */
export const interruptSignal = (): AbortSignal => {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(130);
      interrupted.abort();
    });
  }
  // No second interrupt: one that the terminal sent to all of them may have ended npm, too.
  whenNpmEnds(() => interrupted.abort());
  return interrupted.signal;
};
