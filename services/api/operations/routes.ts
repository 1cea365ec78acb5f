import type { Clock } from '../../platform/clock.ts';
import type { ApiMetrics } from '../context.ts';
import type { Route } from '../router.ts';
import { createStatusHandler } from '../status/handler.ts';
import { createStatusReader } from '../status/read-status.ts';
import type { StatusProbes } from '../status/status-probes.ts';
import { createMetricsHandler, createReadyzHandler, livez } from './handlers.ts';

export type OperationsDependencies = {
  readonly probes: StatusProbes;
  readonly metrics: ApiMetrics;
  readonly clock: Clock;
  readonly version: string;
  /** True from the moment the service stops taking work. */
  readonly isClosing: () => boolean;
};

/** Health for everybody and for probes. `isOpen`: null in a process that does not know. */
export const statusRoutes = (
  { probes, clock, version, isClosing }: OperationsDependencies,
  isOpen: (() => boolean) | null,
): readonly Route[] => {
  const readStatus = createStatusReader(probes, clock);
  return [
    ['GET', '/status', createStatusHandler({ readStatus, version, isOpen })],
    ['GET', '/livez', livez],
    ['GET', '/readyz', createReadyzHandler({ readStatus, isClosing })],
  ];
};

/** The same, and what only operators may see. */
export const operationsRoutes = (
  dependencies: OperationsDependencies,
  isOpen: (() => boolean) | null,
): readonly Route[] => [
  ...statusRoutes(dependencies, isOpen),
  ['GET', '/metrics', createMetricsHandler(dependencies)],
];
