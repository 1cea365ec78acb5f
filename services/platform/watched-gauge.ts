import { Gauge, type Registry } from 'prom-client';
import { askOnce } from './ask-once.ts';

const ANSWER_MS = 1_000;

type Samples<L extends string> = readonly (readonly [labels: Record<L, string>, value: number])[];

/**
 * A gauge whose values are asked for at each scrape; the last `read` that it was given counts. It says nothing while nobody can
 * tell: an old value, or zero, would be taken for true.
 */
export const watchedGauge = <L extends string>(
  registry: Registry,
  { name, help, labelNames }: { name: string; help: string; labelNames: L[] },
): ((read: () => Promise<Samples<L>>) => void) => {
  let ask = async (): Promise<Samples<L> | null> => null;
  registry.registerMetric(
    new Gauge({
      ...{ name, help, labelNames, registers: [] },
      async collect() {
        const samples = await ask().catch(() => null);
        this.reset();
        // One without labels begins at zero.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of samples ?? []) this.set(labels, value);
      },
    }),
  );
  return (read) => {
    ask = askOnce(read, ANSWER_MS);
  };
};
