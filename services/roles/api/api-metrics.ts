import type { Meter } from '../../platform/metrics.ts';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type RequestOutcome = {
  readonly method: string;
  /** The route's pattern, never the path as it came. */
  readonly route: string;
  readonly status: number;
  readonly durationSeconds: number;
};
type QueryOutcome = { readonly outcome: 'answered' | 'failed'; readonly durationSeconds: number };

export const apiMetrics = (meter: Meter) => {
  const requests = meter.histogram(
    'spoor_http_request_duration_seconds',
    'Time from a request to the end of its answer.',
    ['method', 'route', 'status'],
    REQUEST_SECONDS,
  );
  const queries = meter.histogram(
    'spoor_query_duration_seconds',
    'Time from a query of the tables until its answer begins.',
    ['outcome'],
    REQUEST_SECONDS,
  );
  const reservations = meter.counter('spoor_reservations_total', 'Reservations of credits, by outcome.', [
    'outcome',
  ]);
  const settlements = meter.counter('spoor_settlements_total', 'Payments by what became of them.', [
    'outcome',
  ]);
  // Alerts watch for the first: a counter that begins at 1 has not increased for Prometheus.
  for (const outcome of ['settled', 'failed', 'unknown']) settlements.inc({ outcome }, 0);
  return {
    observeRequest: ({ method, route, status, durationSeconds }: RequestOutcome): void =>
      requests.observe({ method, route, status: `${status}` }, durationSeconds),
    /** A query of the tables, until its answer began. */
    questionAsked: ({ outcome, durationSeconds }: QueryOutcome): void =>
      queries.observe({ outcome }, durationSeconds),
    /** What the ledger said to a reservation: reserved, the reason of its refusal, or nothing. */
    reservationEnded: (outcome: string): void => reservations.inc({ outcome }),
    /** What became of a payment: settled, failed or unknown. */
    settlementEnded: (outcome: string): void => settlements.inc({ outcome }),
  };
};
