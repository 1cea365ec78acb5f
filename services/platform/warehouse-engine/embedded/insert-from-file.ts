import { quoteIdentifier, quoteString, tokenize } from '../sql-tokens.ts';
import { EngineException } from './engine-exception.ts';
import type { DataInsert } from './statement.ts';

/** A row of `DESCRIBE TABLE`. */
export type ColumnDescription = {
  readonly name: string;
  readonly type: string;
  readonly default_type: string;
  readonly default_expression: string;
};

/**
 * The same insert, reading its rows from a file. chDB takes data that follows `INSERT … FORMAT X` only up to a blank
 * line and executes what comes after it as SQL, so data must never stand in a statement.
 */
export function insertFromFile(
  insert: DataInsert,
  described: readonly ColumnDescription[],
  path: string,
): string {
  const columns = targetColumns(insert, described);
  const names = columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  const structure = columns.map((column) => declaration(column, columns)).join(', ');
  const settings = insert.settings === null ? '' : ` SETTINGS ${insert.settings}`;
  const source = [path, insert.format, structure].map(quoteString).join(', ');
  return `INSERT INTO ${insert.table} (${names})${settings} SELECT ${names} FROM file(${source})`;
}

function targetColumns(insert: DataInsert, described: readonly ColumnDescription[]): ColumnDescription[] {
  const ordinary = described.filter(({ default_type }) => default_type === '' || default_type === 'DEFAULT');
  if (insert.columns === null) return ordinary;
  const { names, except } = insert.columns;
  const known = new Map(described.map((column) => [column.name, column]));
  for (const name of names) {
    if (known.has(name)) continue;
    throw new EngineException(
      16,
      'NO_SUCH_COLUMN_IN_TABLE',
      `No such column ${name} in table ${insert.table}`,
    );
  }
  if (except) return ordinary.filter(({ name }) => !names.includes(name));
  return names.flatMap((name) => known.get(name) ?? []);
}

/** Defaults travel along, since a row of named fields may leave a column out. */
function declaration(column: ColumnDescription, present: readonly ColumnDescription[]): string {
  const head = `${quoteIdentifier(column.name)} ${column.type}`;
  if (column.default_type !== 'DEFAULT') return head;
  const names = new Set(present.map(({ name }) => name));
  const needed = [...tokenize(column.default_expression)].filter(
    ({ kind }) => kind === 'identifier' || kind === 'word',
  );
  const isFunction = (end: number) => column.default_expression[end] === '(';
  const resolvable = needed.every(({ text, end }) => names.has(text) || isFunction(end));
  return resolvable ? `${head} DEFAULT ${column.default_expression}` : head;
}
