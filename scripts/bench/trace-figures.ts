import { say } from './bench-store.ts';
import { type Figure, toFigure } from './figure.ts';
import { median, percentile } from './percentile.ts';
import { UsageError } from './run-chosen.ts';

/** In milliseconds, each trace with a `SELECT 1`, and its number of matches. */
export type Measured = { readonly tracesMs: number[]; readonly selectsMs: number[]; readonly fits: number[] };

/** Throws `UsageError` if the tables hold too little. */
export const toFigures = (
  { tracesMs, selectsMs, fits }: Measured,
  { transfers, rows }: { transfers: number; rows: number },
): Figure[] => {
  if (tracesMs.length === 0)
    throw new UsageError('--transfers: among so few no trace is left after the warm-up');
  const subject = `${transfers} transfers, a service of ${rows} entries`;
  say(`fits: median ${median(fits)}, most ${Math.max(...fits)}`);
  const ratios = tracesMs.map((ms, at) => ms / (selectsMs[at] ?? Number.NaN));
  const p99Ms = percentile(tracesMs, 0.99);
  return [
    toFigure({ name: 'trace.p50_ms', unit: 'ms', subject }, tracesMs),
    toFigure({ name: 'trace.p99_ms', unit: 'ms', subject, atMost: 50 }, [p99Ms]),
    toFigure({ name: 'trace.p50_over_select_1', unit: 'a trace over SELECT 1', subject }, ratios),
    toFigure({ name: 'trace.p99_over_select_1', unit: "its p99 over SELECT 1's median", subject }, [
      p99Ms / median(selectsMs),
    ]),
  ];
};
