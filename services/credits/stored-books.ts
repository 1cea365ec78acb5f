import { Books } from './books.ts';
import { initialState, type Payer, type PayerState } from './decider/state.ts';
import type { Usage } from './decider/usage.ts';

// Raise this when the state's shape or an event's meaning changes.
const FORMAT = 5;
/** How many entries of a long list one line holds, some 100 bytes each. */
const ENTRIES_A_LINE = 1_000;

type Lists = Pick<PayerState, 'open' | 'ended' | 'keysUsed'>;
type Numbers = Omit<PayerState, keyof Lists | 'applied' | 'refused' | 'isWallet'>;
type EntriesOf<M> = M extends ReadonlyMap<infer K, infer V> ? [K, V][] : never;

/** One line of the books as JSON. A payer's lists follow its own line. */
export type StoredLine =
  | { readonly format: number; readonly lastUnixMs: number }
  | { readonly payer: Payer; readonly state: Numbers }
  | { readonly list: keyof Lists; readonly entries: [string, never][] }
  | { readonly applied: readonly string[] }
  | { readonly usageOf: Payer; readonly days: EntriesOf<Usage> };

/** Refusals are not stored: they are read from their own topic. */
export function* toLines({ lastUnixMs, states, usages }: Books): Generator<StoredLine> {
  yield { format: FORMAT, lastUnixMs };
  for (const [payer, state] of states) {
    const { open, ended, keysUsed, applied, refused: _, isWallet: __, ...numbers } = state;
    yield { payer, state: numbers };
    for (const [list, map] of Object.entries({ open, ended, keysUsed }) as [
      keyof Lists,
      Map<string, never>,
    ][])
      for (const entries of inParts(map)) yield { list, entries };
    for (const part of inParts(applied)) yield { applied: part };
  }
  for (const [usageOf, days] of usages) yield { usageOf, days: [...days] };
}

function* inParts<T>(all: Iterable<T>): Generator<T[]> {
  let part: T[] = [];
  for (const each of all) {
    part.push(each);
    if (part.length < ENTRIES_A_LINE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** null if another version wrote the lines. */
export const fromLines = (lines: Iterable<StoredLine>): Books | null => {
  const books = new Books();
  let payer: Payer | null = null;
  let isOurs = false;
  for (const line of lines) {
    if ('format' in line) {
      if (line.format !== FORMAT) return null;
      isOurs = true;
      books.lastUnixMs = line.lastUnixMs;
    } else if ('payer' in line) {
      ({ payer } = line);
      books.states.set(payer, { ...initialState(payer), ...line.state });
    } else if ('usageOf' in line) books.usages.set(line.usageOf, new Map(line.days));
    else if (payer !== null) addTo(books.stateOf(payer), line);
  }
  // Only now are the books complete, so deadlines of open calls are scheduled here.
  for (const [each, state] of books.states) books.add(each, state);
  return isOurs ? books : null;
};

const addTo = (
  state: PayerState,
  line: Extract<StoredLine, { applied: unknown } | { list: unknown }>,
): void => {
  if ('applied' in line) for (const id of line.applied) state.applied.add(id);
  else for (const [key, value] of line.entries) state[line.list].set(key, value);
};
