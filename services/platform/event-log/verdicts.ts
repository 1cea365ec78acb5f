/**
 * Verdicts on records of a topic, for the writers in this process. A writer learns its record's position only
 * from the answer to its append, and by then the record may have been read back. So all verdicts since the
 * oldest waiting writer began are kept, and no longer.
 */
export class Verdicts<V> {
  readonly #verdicts = new Map<string, { readonly verdict: V; readonly count: number }>();
  /** The read position when each of them began, the oldest first. */
  readonly #writers = new Set<{ readonly since: number }>();
  #count = 0;

  get size(): number {
    return this.#verdicts.size;
  }

  /** The record at this place was read. */
  put(place: string, verdict: V): void {
    this.#count += 1;
    if (this.#writers.size > 0) this.#verdicts.set(place, { verdict, count: this.#count });
  }

  /** Keeps verdicts for the duration of `write`. */
  async during<T>(write: () => Promise<T>): Promise<T> {
    const writer = { since: this.#count };
    this.#writers.add(writer);
    try {
      return await write();
    } finally {
      this.#writers.delete(writer);
      this.#forget();
    }
  }

  get(place: string): V | undefined {
    return this.#verdicts.get(place)?.verdict;
  }

  #forget(): void {
    const [oldest] = this.#writers;
    for (const [place, { count }] of this.#verdicts) {
      if (oldest !== undefined && count > oldest.since) return;
      this.#verdicts.delete(place);
    }
  }
}
