/**
 * Answers in the order of the items; up to `parallel` are requested in advance. Throws what `ask` throws. Leaving
 * early cancels pending requests.
 */
export async function* askAhead<I, A>(
  items: Iterable<I>,
  ask: (item: I, signal: AbortSignal) => Promise<A>,
  parallel: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly item: I; readonly answer: A }> {
  const leaving = new AbortController();
  const stop = AbortSignal.any([signal, leaving.signal]);
  const rest = items[Symbol.iterator]();
  const ahead: { item: I; asked: Promise<A> }[] = [];
  try {
    for (;;) {
      while (ahead.length < parallel) {
        const { done, value: item } = rest.next();
        if (done) break;
        const asked = ask(item, stop);
        // Awaited in turn; until then a rejection must not count as unhandled.
        asked.catch(() => {});
        ahead.push({ item, asked });
      }
      const first = ahead.shift();
      if (first === undefined) return;
      yield { item: first.item, answer: await first.asked };
    }
  } finally {
    leaving.abort();
  }
}
