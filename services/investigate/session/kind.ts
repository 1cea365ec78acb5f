import type { Query } from '../model/query.ts';

/** A query as a session knows it. */
export type Kind<Common, Key, Answer> = {
  readonly query: Query<Common, Key, Answer>;
  /** The same for equal keys, and different for all others. Default: the key as text. */
  textOf?(key: Key): string;
  /** As many keys as one query handles well. Default: all. */
  readonly keysMax?: number;
  /** Answers are kept for as long as the session lives, and are not asked for again. */
  readonly isKept?: boolean;
  /** Whether the reader could not tell all of it: the key is among what was cut. Default: never. */
  isCut?(answer: Answer): boolean;
  /** Rows of an answer, which stay in memory. Default: not counted. */
  rowsOf?(answer: Answer): number;
};

/** The kinds of one question, by name. */
export type Kinds = Readonly<Record<string, Kind<never, never, unknown>>>;

/** One answer a key, in the order asked; a key may come twice. Throws `ReadFailedError`. */
export type Ask<Common, Key, Answer> = (common: Common, keys: readonly Key[]) => Promise<readonly Answer[]>;

/** What a question reads by. */
export type Reads<Of extends Kinds> = {
  readonly [Name in keyof Of]: Of[Name] extends Kind<infer Common, infer Key, infer Answer>
    ? Ask<Common, Key, Answer>
    : never;
};

/** The same text for equal values, whatever they are made of. */
export const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : JSON.stringify(value, (_, part: unknown) => {
        if (typeof part === 'bigint') return `${part}n`;
        return part instanceof Map ? [...part] : part;
      });
