/**
 * What records of a topic were worth, for whoever here wrote one of them. Which record that is its writer learns only when
 * its append is answered, by when it may have been read back; so all are kept that were read since the oldest writer that
 * still waits began, and no longer.
 */
export class Verdicts<V> {
  readonly #verdicts = new Map<string, { readonly verdict: V; readonly count: number }>();
  /** What had been read when each of them began, the oldest first. */
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

  /** For as long as `write` takes, what is read is kept for it. */
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
