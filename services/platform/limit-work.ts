import { createContext, runInContext } from 'node:vm';

/** The work took too long and was stopped. */
export class WorkTooLongError extends Error {
  readonly code = 'work_too_long';
  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(`it takes longer than ${timeoutMs / 1_000} s`, options);
    this.name = 'WorkTooLongError';
  }
}

/** One for all: making one takes milliseconds. */
const context = createContext({ work: null as unknown });

/**
 * Runs synchronous work and interrupts it when it takes too long. Throws its errors, and `WorkTooLongError`.
 */
export const limitWork = <T>(work: () => T, timeoutMs: number): T => {
  context.work = work;
  try {
    return runInContext('work()', context, { timeout: timeoutMs }) as T;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new WorkTooLongError(timeoutMs, { cause: error });
    throw error;
  } finally {
    context.work = null;
  }
};
