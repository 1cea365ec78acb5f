import type { BlockSource, FetchResult } from '../nodes/block-source.ts';

/** Numbers of a chain, both ends included. */
export type NumberRange = { readonly first: number; readonly last: number };

/**
 * A chain's results for each number of a range, in order; up to `parallel` are requested in advance. Throws what
 * `fetch` throws. Leaving early cancels pending requests.
 */
export async function* fetchAhead(
  fetch: BlockSource['fetch'],
  { first, last }: NumberRange,
  parallel: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly number: number; readonly fetched: FetchResult }> {
  const leaving = new AbortController();
  const stop = AbortSignal.any([signal, leaving.signal]);
  const ahead: Promise<FetchResult>[] = [];
  const ask = (number: number): void => {
    const asked = fetch(number, stop);
    // Awaited in turn; until then a rejection must not count as unhandled.
    asked.catch(() => {});
    ahead.push(asked);
  };
  try {
    for (let number = first; number <= last; number++) {
      while (ahead.length < parallel && number + ahead.length <= last) ask(number + ahead.length);
      const [fetched] = await Promise.all(ahead.splice(0, 1));
      if (fetched) yield { number, fetched };
    }
  } finally {
    leaving.abort();
  }
}
