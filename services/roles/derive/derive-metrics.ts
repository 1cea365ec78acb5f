import type { Meter } from '../../platform/metrics.ts';

const DERIVE_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

export const deriveMetrics = (meter: Meter) => {
  const derivations = meter.histogram(
    'spoor_derivation_duration_seconds',
    'Time to bring one kind of derived facts up to what is settled.',
    ['derivation'],
    DERIVE_SECONDS,
  );
  const rounds = meter.counter(
    'spoor_derivation_rounds_total',
    'Rounds of deriving, by what there was to derive: facts or nothing. Two rounds of nothing: all is derived.',
    ['work'],
  );
  return {
    /** A derived table was brought up to what is settled. */
    derived: ({ derivation, durationSeconds }: { derivation: string; durationSeconds: number }): void =>
      derivations.observe({ derivation }, durationSeconds),
    /** Everything was brought up once. */
    derivedAll: (work: 'facts' | 'nothing'): void => rounds.inc({ work }),
  };
};
