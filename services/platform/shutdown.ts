import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from './message-of.ts';

export type ShutdownStep = {
  readonly name: string;
  /** Lower ones first; steps with the same order run at the same time. */
  readonly order: number;
  /** After this time the next step begins, even if this one is not finished. */
  readonly timeoutMs: number;
  run(): Promise<void>;
};

export type ShutdownLogger = {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

type SignalName = 'SIGTERM' | 'SIGINT';

export type ShutdownHost = {
  on(signal: SignalName, listener: (signal: SignalName) => void): unknown;
  exit(code: number): void;
};

export type Shutdown = {
  /** Throws when it is too late, because a step registered then would never run. */
  register(step: ShutdownStep): void;
  /** True from the start of closing, for /readyz and for loops. */
  isClosing(): boolean;
  /**
   * Runs all steps once; later calls wait for the same run. Resolves to the names of steps that failed or
   * took too long.
   */
  run(reason: string): Promise<string[]>;
};

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

const groupByOrder = (steps: readonly ShutdownStep[]): ShutdownStep[][] => {
  const groups = Map.groupBy(steps, (step) => step.order);
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
};

/** null when the step finished in time. */
const problemOf = async (step: ShutdownStep): Promise<string | null> => {
  const inTime = new AbortController();
  const timeout = sleep(step.timeoutMs, `not done after ${step.timeoutMs} ms`, { signal: inTime.signal });
  try {
    // Called inside a promise, so that a step that throws synchronously is handled like one that rejects.
    return await Promise.race([
      Promise.resolve()
        .then(() => step.run())
        .then(() => null),
      timeout,
    ]);
  } catch (error) {
    return messageOf(error);
  } finally {
    inTime.abort();
    timeout.catch(() => {});
  }
};

/**
 * Ends a process in order: first the intake, then work under way, then the engines, so that nothing
 * acknowledged is lost. The first SIGTERM or SIGINT runs the steps and exits with 0, or with 1 when a step
 * failed. A second one exits at once.
 */
export const createShutdown = (dependencies: { logger: ShutdownLogger; host: ShutdownHost }): Shutdown => {
  const { logger, host } = dependencies;
  const steps: ShutdownStep[] = [];
  let running: Promise<string[]> | null = null;

  const runSteps = async (reason: string): Promise<string[]> => {
    logger.info({ reason }, 'closing');
    const failed: string[] = [];
    for (const group of groupByOrder(steps)) {
      const problems = await Promise.all(group.map(problemOf));
      for (const [i, problem] of problems.entries()) {
        const step = group[i]?.name ?? '';
        if (problem === null) continue;
        failed.push(step);
        logger.error(
          { step, problem },
          'a shutdown step failed or took too long, and the shutdown went on without it',
        );
      }
    }
    logger.info({ failed }, 'closed');
    return failed;
  };

  const run = (reason: string): Promise<string[]> => {
    running ??= runSteps(reason);
    return running;
  };

  const onSignal = (signal: SignalName): void => {
    if (running !== null) {
      logger.error({ signal }, 'exiting at once');
      host.exit(EXIT_CODES[signal]);
      return;
    }
    void run(signal).then((failed) => host.exit(failed.length === 0 ? 0 : 1));
  };
  host.on('SIGTERM', onSignal);
  host.on('SIGINT', onSignal);

  return {
    register: (step) => {
      if (running !== null) throw new Error(`the process is closing: ${step.name} comes too late`);
      steps.push(step);
    },
    isClosing: () => running !== null,
    run,
  };
};
