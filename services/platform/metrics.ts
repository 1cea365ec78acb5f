import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { askOnce } from './ask-once.ts';

const ANSWER_MS = 1_000;

type Samples<L extends string> = readonly (readonly [labels: Record<L, string>, value: number])[];

/** Modules declare their metrics with it. */
export type Meter = ReturnType<typeof createMeter>;

/** A new registry for each call, so that tests and processes with several services do not share numbers. */
export const createMeter = () => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    counter: <L extends string>(name: string, help: string, labelNames: L[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, labelNames: L[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
    watchedGauge: <L extends string>(name: string, help: string, labelNames: L[]) =>
      watchedGauge(registry, { name, help, labelNames }),
    /** All metrics in the Prometheus text format. */
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};

/**
 * A gauge that is read at each scrape, by the last `read` function given. It has no value while the read
 * fails or takes too long, because an old value, or zero, would look true.
 */
const watchedGauge = <L extends string>(
  registry: Registry,
  { name, help, labelNames }: { name: string; help: string; labelNames: L[] },
): ((read: () => Promise<Samples<L>>) => void) => {
  let ask = async (): Promise<Samples<L> | null> => null;
  registry.registerMetric(
    new Gauge({
      name,
      help,
      labelNames,
      registers: [],
      async collect() {
        const samples = await ask().catch(() => null);
        this.reset();
        // A gauge without labels starts at zero.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of samples ?? []) this.set(labels, value);
      },
    }),
  );
  return (read) => {
    ask = askOnce(read, ANSWER_MS);
  };
};
