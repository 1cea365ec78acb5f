import { askAhead } from '../nodes/ask-ahead.ts';
import type { BlockSource, FetchResult } from '../nodes/block-source.ts';

/** Numbers of a chain, both ends included. */
export type NumberRange = { readonly first: number; readonly last: number };

/** A chain's results for each number of a range, in order, as `askAhead` asks. */
export async function* fetchAhead(
  fetch: BlockSource['fetch'],
  range: NumberRange,
  parallel: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly number: number; readonly fetched: FetchResult }> {
  for await (const { item, answer } of askAhead(numbersOf(range), fetch, parallel, signal))
    yield { number: item, fetched: answer };
}

function* numbersOf({ first, last }: NumberRange): Generator<number> {
  for (let number = first; number <= last; number++) yield number;
}
