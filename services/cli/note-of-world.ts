import type { StoreName } from '../roles/store/open-store.ts';

/** A note that the store is a generated world, in case a variable was forgotten; null for real chains. */
export const noteOfWorld = (name: StoreName): string | null =>
  name === 'chain'
    ? null
    : `this is the generated world, ${name}: no chain is configured or replayed yet, or SPOOR_DEMO is set`;
