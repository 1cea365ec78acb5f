import { isSymbol, type Token, tokenize } from './sql-tokens.ts';

/** Splits a file of SQL into statements. A semicolon in a string, a name or a comment does not end one. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let first: Token | undefined;
  let last: Token | undefined;
  const finish = () => {
    if (first && last) statements.push(sql.slice(first.start, last.end));
    first = undefined;
    last = undefined;
  };
  for (const token of tokenize(sql)) {
    if (isSymbol(token, ';')) {
      finish();
      continue;
    }
    first ??= token;
    last = token;
  }
  finish();
  return statements;
}
