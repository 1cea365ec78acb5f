import { whenNpmEnds } from '../platform/when-npm-ends.ts';

export const EXIT_INTERRUPTED = 130;

export class InterruptedError extends Error {
  readonly code = 'interrupted';
  constructor() {
    super('interrupted');
    this.name = 'InterruptedError';
  }
}

/**
 * The first interrupt aborts with an `InterruptedError`, so that work ends in order; a second one ends the process
 * at once.
 */
export const interruptSignal = (): AbortSignal => {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(EXIT_INTERRUPTED);
      interrupted.abort(new InterruptedError());
    });
  }
  // Not a second interrupt: the terminal signals the whole group, which may have ended npm, too.
  whenNpmEnds(() => interrupted.abort(new InterruptedError()));
  return interrupted.signal;
};
