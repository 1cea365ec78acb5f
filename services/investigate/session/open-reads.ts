import type { ReadLimits } from '../model/transfer-reader.ts';
import { ALONE, type ListPolicy } from './ask-list.ts';
import { createLoader, type Loader } from './create-loader.ts';
import { type Kind, type Kinds, textOf } from './kind.ts';
import { BudgetSpentError } from './left-out.ts';

/** What was read so far. */
export type Spent = { readonly queries: number; readonly rows: number };

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
};

export const openReads = <Of extends Kinds>(
  kindsOf: (count: Count) => Of,
  { policy = ALONE, rowsMax = Number.POSITIVE_INFINITY }: Opening = {},
): OpenReads<Of> => {
  let queries = 0;
  let rows = 0;
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

  /** Every list that is read goes through here. */
  const load =
    ({ query, rowsOf }: Kind<never, never, unknown>, common: never) =>
    async (keys: readonly never[], limits: ReadLimits): Promise<readonly unknown[]> => {
      if (rowsOf !== undefined && rows >= rowsMax) throw new BudgetSpentError();
      const answers = await query(common, keys, limits);
      if (rowsOf !== undefined) for (const answer of answers) rows += rowsOf(answer);
      return answers;
    };

  const loaderOf = (name: keyof Of, common: never): Loader<never, unknown> => {
    const key = `${String(name)} ${textOf(common)}`;
    const known = loaders.get(key);
    if (known !== undefined) return known;
    const kind = kinds[name] as Kind<never, never, unknown>;
    const loader = createLoader({ textOf, ...kind, load: load(kind, common) }, policy);
    loaders.set(key, loader);
    return loader;
  };

  return {
    kinds,
    ask: (name, common, keys, limits) => loaderOf(name, common)(keys, limits),
    spent: () => ({ queries, rows }),
  };
};
