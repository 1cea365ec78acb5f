import { quoteIdentifier } from '../../platform/warehouse-engine/sql-tokens.ts';

type Column = { readonly name: string; readonly type: string };

/** Parquet has no integers of 128 and 256 bits, and keeps enumerations as bytes: pandas would show bytes of either. */
const UNREADABLE = /\bU?Int(128|256)\b|\bEnum(8|16)\((?:[^()']|'(?:[^'\\]|\\.)*')*\)/g;

/**
 * The statement with such values as text, exact. `describe` gives its columns, and rejects where it has none: then the
 * statement stays as it is.
 */
export const withReadableTypes = async (
  sql: string,
  describe: (sql: string) => Promise<readonly Column[]>,
): Promise<string> => {
  const columns = await describe(`DESCRIBE (${sql}\n)`).catch(() => []);
  const replaced = columns.flatMap(({ name, type }) => {
    const readable = type.replace(UNREADABLE, 'String');
    const column = quoteIdentifier(name);
    return readable === type ? [] : [`CAST(${column} AS ${readable}) AS ${column}`];
  });
  return replaced.length === 0 ? sql : `SELECT * REPLACE (${replaced.join(', ')}) FROM (${sql}\n)`;
};
