import type { Many, Unlimited } from '../../model/many-reader.ts';
import { textOf } from '../../session/kind.ts';

/** Runs lists of one kind in parallel, up to two, because the engine uses one core for most queries. */
const AT_ONCE = 2;

/** Answers each list of requests, in its order. */
export type AskMany<Request, Answer> = (requests: Many<Request>) => Promise<readonly Answer[]>;

/** A few at a time. */
export const askEach =
  <Request, Answer>(ask: (request: Unlimited<Request>) => Promise<Answer>): AskMany<Request, Answer> =>
  (requests) =>
    mapSome(requests, ask);

export const mapSome = async <Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> => {
  const answers: Answer[] = new Array(items.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      answers[at] = await ask(items[at] as Item);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
};

/** Joins requests that differ only in a list. */
export type Uniting<Rest, Item, Found> = {
  readonly keyOf: (item: Item) => string;
  /** As many items as one query handles well. */
  readonly perQuestion: number;
  readonly ask: (rest: Rest, items: readonly Item[]) => Promise<Found>;
};

/**
 * Queries the items of all requests together, each once, and gives each request its own results. `restOf` is
 * what the requests must have in common, `itemsOf` the list, and `pick` selects a request's own part.
 */
export const unite =
  <Request, Rest extends object, Item, Found, Answer>(
    restOf: (request: Unlimited<Request>) => Rest,
    itemsOf: (request: Unlimited<Request>) => readonly Item[],
    { keyOf: itemKey, perQuestion, ask }: Uniting<Rest, Item, Found>,
    createPick: (found: readonly Found[]) => (request: Unlimited<Request>) => Promise<Answer> | Answer,
  ): AskMany<Request, Answer> =>
  async (requests: Many<Request>) => {
    const groups = Map.groupBy(requests.keys(), (at) => textOf(restOf(requests[at] as Unlimited<Request>)));
    const answers: Answer[] = new Array(requests.length);
    for (const places of groups.values()) {
      const group = places.map((at) => requests[at] as Unlimited<Request>);
      const [first] = group;
      if (first === undefined) continue;
      const items = [...new Map(group.flatMap(itemsOf).map((item) => [itemKey(item), item])).values()];
      const rest = restOf(first);
      const found = await mapSome(cutEvenly(items, perQuestion), (chunk) => ask(rest, chunk));
      const pick = createPick(found);
      for (const [place, index] of places.entries())
        answers[index] = await pick(group[place] as Unlimited<Request>);
    }
    return answers;
  };

/** Chunks of nearly equal size, at most `max`. */
export const cutEvenly = <Item>(items: readonly Item[], max: number): (readonly Item[])[] => {
  const chunks = Math.ceil(items.length / max);
  const size = Math.ceil(items.length / Math.max(1, chunks));
  return Array.from({ length: chunks }, (_, index) => items.slice(index * size, (index + 1) * size));
};
