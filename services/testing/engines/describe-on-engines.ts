import { describe, inject } from 'vitest';
import type { SharedEngines } from './shared-engines.ts';

type Running = Exclude<SharedEngines, { missing: string }>;

/** A suite that needs a real broker or registry; where there is none it is left out by name, with the reason. */
export const describeOnEngines = (name: string, suite: (engines: Running) => void): void => {
  const engines = inject('engines');
  if ('missing' in engines) {
    // Its tests are named, never run: the addresses are nobody's.
    describe.skip(`${name} (${engines.missing})`, () =>
      suite({ brokers: '', registryUrl: '', secured: null }));
  } else describe(name, () => suite(engines));
};
