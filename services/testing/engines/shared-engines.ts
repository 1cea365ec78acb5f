/** What the suites of a run share: one broker and one registry, or why there are none on this machine. */
export type SharedEngines =
  | { readonly brokers: string; readonly registryUrl: string }
  | { readonly missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    engines: SharedEngines;
  }
}
