import type { Meter } from '../../platform/metrics.ts';

const DERIVE_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

export const deriveMetrics = (meter: Meter) => {
  const derivations = meter.histogram(
    'spoor_derivation_duration_seconds',
    'Time to bring one kind of derived facts up to what is settled.',
    ['derivation'],
    DERIVE_SECONDS,
  );
  return {
    /** A derived table was brought up to what is settled. */
    derived: ({ derivation, durationSeconds }: { derivation: string; durationSeconds: number }): void =>
      derivations.observe({ derivation }, durationSeconds),
  };
};
