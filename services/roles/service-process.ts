import type { StartWait } from '../api/status/status-probes.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Shutdown } from '../platform/shutdown.ts';
import { whenNpmEnds } from '../platform/when-npm-ends.ts';
import { createMetrics, type Metrics } from './create-metrics.ts';
import { createStartWaits, type WaitFor } from './start-waits.ts';

export const ROLES = ['ingest-solana', 'ingest-evm', 'sink', 'derive', 'ledger', 'retrace', 'api'] as const;
/**
 * `ingest-…` follow the chains of a family into the log; `sink` moves the log into the tables, which it owns; `derive`
 * makes facts of what is settled in them; `ledger` decides about credits; `retrace` works on jobs of many traces; `api`
 * answers, and decides where no `ledger` runs. Each may be a process of its own, and every process says how it is over HTTP.
 */
export type Role = (typeof ROLES)[number];

// Stops intake first, then running work, engines last, so nothing acknowledged is lost. A generated world closes
// after its readers.
export const CLOSE = {
  api: 1,
  ingest: 2,
  billing: 2,
  derivation: 2,
  sink: 3,
  world: 3,
  warehouse: 4,
  log: 5,
};
export const CLOSE_MS = { grace: 5_000, step: 30_000 };

/** What the roles of one process share. */
export type ServiceProcess = {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly isClosing: () => boolean;
  runs(role: Role): boolean;
  closing(name: string, order: number, run: () => Promise<void>): void;
  waitFor: WaitFor;
  /** What it waits for before it works. */
  readonly waits: () => readonly StartWait[];
  /** Closes in order, then ends the process as failed. */
  fail(error: unknown): void;
};

export const createProcess = (
  config: Config,
  roles: readonly Role[],
  logger: Logger,
  shutdown: Shutdown,
): ServiceProcess => {
  whenNpmEnds(() => void shutdown.run('npm ended').then(() => process.exit(0)));
  const metrics = createMetrics();
  const start = createStartWaits(systemClock);
  metrics.watchWaits(() => start.waits().map(({ part }) => part));
  return {
    config,
    logger,
    metrics,
    isClosing: shutdown.isClosing,
    ...start,
    runs: (role) => roles.includes(role),
    closing: (name, order, run) => shutdown.register({ name, order, timeoutMs: CLOSE_MS.step, run }),
    fail: (err) => {
      if (shutdown.isClosing()) return;
      logger.fatal({ err }, 'the process cannot go on and ends');
      void shutdown.run('failure').then(() => process.exit(1));
    },
  };
};
