import { type BlockPlace, placeKey } from './planned-record.ts';

/**
 * Blocks that a batch is storing right now. Batches of different partitions are stored at the same time. When
 * two contain the same block, the second waits until the tables show whether it is stored.
 */
export class HeldBlocks {
  readonly #held = new Map<string, Promise<void>>();

  /** Runs the action while no other batch stores any of these blocks. */
  async hold<T>(blocks: readonly BlockPlace[], action: () => Promise<T>): Promise<T> {
    const keys = new Set(blocks.map(placeKey));
    // All or none are taken, in one step, so that no two batches can wait for each other.
    for (let others = this.#holdersOf(keys); others.length > 0; others = this.#holdersOf(keys))
      await Promise.all(others);
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const key of keys) this.#held.set(key, promise);
    try {
      return await action();
    } finally {
      for (const key of keys) this.#held.delete(key);
      resolve();
    }
  }

  #holdersOf(keys: ReadonlySet<string>): Promise<void>[] {
    const holders = new Set<Promise<void>>();
    for (const key of keys) {
      const holder = this.#held.get(key);
      if (holder) holders.add(holder);
    }
    return [...holders];
  }
}
