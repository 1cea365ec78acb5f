import type { StoreName } from '../roles/store/open-store.ts';

/** Whoever forgot a variable means no generated world; null where the store is that of the chains. */
export const noteOfWorld = (name: StoreName): string | null =>
  name === 'chain' ? null : `no chain is configured or replayed yet: this is the generated world, ${name}`;
