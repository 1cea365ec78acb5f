import type { ReadLimits } from '../model/transfer-reader.ts';
import { ALONE, type ListPolicy } from './ask-list.ts';
import { createLoader, LISTS_AT_ONCE, type Loader } from './create-loader.ts';
import { createGate, type Gate, OPEN } from './gate.ts';
import { type Kind, type Kinds, textOf } from './kind.ts';
import { BudgetSpentError } from './left-out.ts';

/** What was read so far. */
export type Spent = { readonly queries: number; readonly rows: number; readonly bytes: number };

/** Far more than any answer needs: text of so many bytes takes some times as much memory. */
const BYTES_MAX = 256 * 2 ** 20;

/** Lets a reader's queries be counted. */
export type Count = <Reader extends object>(reader: Reader) => Reader;

/** The reads of one question, or of many that share them: what is known, what is being asked, and what it took. */
export type OpenReads<Of extends Kinds> = {
  readonly kinds: Of;
  /** The keys of one kind, within the caller's own limits. */
  readonly ask: (
    name: keyof Of,
    common: never,
    keys: readonly never[],
    limits: ReadLimits,
  ) => Promise<readonly unknown[]>;
  readonly spent: () => Spent;
};

type Opening = {
  readonly policy?: ListPolicy;
  /** Kinds whose rows are counted throw `BudgetSpentError` beyond it. */
  readonly rowsMax?: number;
  /** Nothing more is read beyond so much text of answers. Default: 256 MiB, and no end where many questions share their reads. */
  readonly bytesMax?: number;
};

export const openReads = <Of extends Kinds>(
  kindsOf: (count: Count) => Of,
  {
    policy = ALONE,
    rowsMax = Number.POSITIVE_INFINITY,
    bytesMax = policy.oneAtATime ? Number.POSITIVE_INFINITY : BYTES_MAX,
  }: Opening = {},
): OpenReads<Of> => {
  let queries = 0;
  let rows = 0;
  let bytes = 0;
  const onBytes = (more: number): void => {
    bytes += more;
  };
  const count: Count = (reader) =>
    new Proxy(reader, {
      get:
        (of, name) =>
        (...asked: readonly unknown[]) => {
          queries += 1;
          return (Reflect.get(of, name) as (...asked: readonly unknown[]) => unknown)(...asked);
        },
    });
  const kinds = kindsOf(count);
  const loaders = new Map<string, Loader<never, unknown>>();
  const gates = new Map<keyof Of, Gate>();

  /** Every list that is read goes through here. */
  const load =
    ({ query, rowsOf }: Kind<never, never, unknown>, common: never) =>
    async (keys: readonly never[], limits: ReadLimits): Promise<readonly unknown[]> => {
      if (bytes >= bytesMax || (rowsOf !== undefined && rows >= rowsMax)) throw new BudgetSpentError();
      const answers = await query(common, keys, { ...limits, onBytes });
      if (rowsOf !== undefined) for (const answer of answers) rows += rowsOf(answer);
      return answers;
    };

  const loaderOf = (name: keyof Of, common: never): Loader<never, unknown> => {
    const key = `${String(name)} ${textOf(common)}`;
    const known = loaders.get(key);
    if (known !== undefined) return known;
    const kind = kinds[name] as Kind<never, never, unknown>;
    const gate = gates.get(name) ?? (policy.oneAtATime ? createGate(LISTS_AT_ONCE) : OPEN);
    gates.set(name, gate);
    const loader = createLoader({ textOf, ...kind, load: load(kind, common) }, policy, gate);
    loaders.set(key, loader);
    return loader;
  };

  return {
    kinds,
    ask: (name, common, keys, limits) => loaderOf(name, common)(keys, limits),
    spent: () => ({ queries, rows, bytes }),
  };
};
