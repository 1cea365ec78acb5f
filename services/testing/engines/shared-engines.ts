import type { Engines } from './start-engines.ts';

/** What the suites of a run share: one broker and one registry, or why there are none on this machine. */
export type SharedEngines =
  | Pick<Engines, 'brokers' | 'registryUrl' | 'secured'>
  | { readonly missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    engines: SharedEngines;
  }
}
